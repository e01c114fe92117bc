"""BLAKE2b and BLAKE2s with every parameter from hashlib, seconded by the crates blake2b_simd and blake2s_simd."""

import hashlib

from documents import MIB, PATTERN, around, case, counting, lengths, sweeps
from oracles import agree

SPELLING = {
    "length": "digest_size",
    "personal": "person",
    "maxDepth": "depth",
    "maxLeafLength": "leaf_size",
    "nodeOffset": "node_offset",
    "nodeDepth": "node_depth",
    "innerHashLength": "inner_size",
    "lastNode": "last_node",
}
# A JSON number keeps its value in JavaScript up to here; larger ones are written as decimal text.
SAFE = 2**53 - 1
GIB = 1024 * MIB


def for_python(options):
    texts = {"key", "salt", "personal"}
    return {
        SPELLING.get(name, name): bytes.fromhex(value) if name in texts else value for name, value in options.items()
    }


def for_json(options):
    return {name: str(value) if type(value) is int and value > SAFE else value for name, value in options.items()}


class Algorithm:
    def __init__(self, oracles, name, block):
        self.name = name
        self.block = block
        self.most = block // 2
        self.label = block // 8
        self.oracles = oracles

    def python(self, data, options):
        return getattr(hashlib, self.name)(data, **for_python(options))

    def digest(self, size, **options):
        first = self.python(counting(size), options).hexdigest()
        request = {name: int(value) if isinstance(value, bool) else value for name, value in options.items()}
        return agree(first, self.oracles.rust(self.name, input=size, **request))

    def case(self, size, **options):
        return case(size, for_json(options), digest=self.digest(size, **options))

    def key(self, length):
        return bytes((3 * i + length) % 256 for i in range(length)).hex()

    def labels(self, length):
        """A salt and a personalisation that differ in every byte."""
        return bytes(0x51 + i for i in range(length)).hex(), bytes(0xA1 + i for i in range(length)).hex()

    def sizes(self):
        """A few inputs that in turn end before, at and after a block."""
        return [0, 1, 3, *around(self.block, -1, 0, 1), *around(2 * self.block, -1, 0, 1), 1000]

    def cases(self):
        for size in lengths(self.block):
            yield self.case(size)
        for length in range(1, self.most + 1):
            yield self.case(self.sizes()[length % 10], length=length)
        for length in range(1, self.most + 1):
            yield self.case(self.sizes()[length % 10], key=self.key(length), length=32)
        for size in self.sizes():
            yield self.case(size, key=self.key(self.most))
        yield from self.labelled()
        yield from self.tree_parameters()

    def labelled(self):
        for length in range(1, self.label + 1):
            salt, personal = self.labels(length)
            yield self.case(3, length=32, salt=salt)
            yield self.case(3, length=32, personal=personal)
            yield self.case(self.block, length=20, key=self.key(length), salt=salt, personal=personal)

    def bounds(self):
        offset = 2**64 - 1 if self.name == "blake2b" else 2**48 - 1
        offsets = [0, 1, 2**31, 2**32 - 1, 2**32, 2**47, 2**48 - 1, 2**53 - 1, 2**53, 2**53 + 1, 2**63, 2**64 - 1]
        yield "fanout", [0, 1, 2, 255]
        yield "maxDepth", [1, 2, 255]
        yield "maxLeafLength", [0, 1, 2**31, 2**32 - 1]
        yield "nodeOffset", [value for value in offsets if value <= offset]
        yield "nodeDepth", [0, 1, 255]
        yield "innerHashLength", [0, 1, self.most - 1, self.most]
        yield "lastNode", [False, True]

    def tree_parameters(self):
        for name, values in self.bounds():
            for value in values:
                yield self.case(3, length=32, **{name: value})
        salt, personal = self.labels(self.label)
        for size in self.sizes():
            most = {name: values[-1] for name, values in self.bounds()}
            yield self.case(size, lastNode=True)
            yield self.case(size, length=self.most - 1, key=self.key(5), salt=salt, personal=personal, **most)

    def presets(self):
        """As if `count` bytes had left the chaining value as it was: counters near their ends, without the hours."""
        for end in (2**31, 2**32, 2**53, 2**64):
            for count in (end - 2 * self.block, end - self.block):
                for size in (1, self.block, self.block + 1, 2 * self.block + 1, 5 * self.block + 3):
                    # BLAKE2s has no third counter word.
                    if self.name == "blake2s" and count + size >= 2**64:
                        continue
                    yield {"count": str(count), **case(size, digest=self.preset(count, size))}

    def preset(self, count, size):
        request = {"input": size, "count": count}
        operation = f"{self.name}-preset"
        return agree(self.oracles.go(operation, **request), self.oracles.node(operation, **request))

    def chains(self):
        for size in around(self.block, -1, 1) + [200, 1000]:
            yield case(size, chain=self.oracles.go(f"{self.name}-chain", input=size))

    def large(self):
        """Counters past 2^32 for real; the hash over the part that all of them share is kept."""
        sizes = around(4 * GIB, -1, 0, 1, 2 * self.block + 1)
        piece = counting(251 * 4096)
        whole, rest = divmod(sizes[0], len(piece))
        hasher = getattr(hashlib, self.name)()
        for _ in range(whole):
            hasher.update(piece)
        for size in sizes:
            copy = hasher.copy()
            copy.update(counting(rest + size - sizes[0]))
            yield case(size, digest=copy.hexdigest())

    def node(self, data, pieces, **options):
        return {**pieces, "options": options, "digest": self.python(data, options).hexdigest()}

    def tree(self, pattern, data, leaf, fanout, **root):
        """The two-level tree of hashlib's documentation: leaves of equal size under one root."""
        shape = {"fanout": fanout, "maxDepth": 2, "maxLeafLength": leaf, "innerHashLength": self.most}
        starts = range(0, len(data), leaf)
        nodes = []
        for offset, start in enumerate(starts):
            end = min(start + leaf, len(data))
            place = {"nodeOffset": offset, "nodeDepth": 0, "lastNode": end == len(data)}
            nodes.append(self.node(data[start:end], {"from": start, "to": end}, **shape, **place))
        joined = bytes.fromhex("".join(node["digest"] for node in nodes))
        place = {"nodeOffset": 0, "nodeDepth": 1, "lastNode": True}
        nodes.append(self.node(joined, {"children": list(range(len(starts)))}, **shape, **place, **root))
        return {"pattern": pattern, "input": len(data), "nodes": nodes}

    def trees(self):
        yield self.tree("zeros", bytes(6000), 4096, 2, length=32)
        yield self.tree("counting", counting(5 * 1024 + 1), 1024, 0)

    def document(self):
        keyed = {"key": self.key(self.most)}
        plain_sweeps = sweeps(lambda size: self.python(counting(size), {}).hexdigest())
        keyed_sweeps = sweeps(lambda size: self.python(counting(size), keyed).hexdigest(), last=4097, options=keyed)
        return {
            "algorithm": self.name,
            "pattern": PATTERN,
            "cases": list(self.cases()),
            "sweeps": [*plain_sweeps, *keyed_sweeps],
            "trees": list(self.trees()),
            "presets": list(self.presets()),
            "chains": list(self.chains()),
            "large": list(self.large()),
        }


def documents(oracles):
    for name, block in (("blake2b", 128), ("blake2s", 64)):
        yield name, Algorithm(oracles, name, block).document()
