"""BLAKE2bp and BLAKE2sp from the crates blake2b_simd and blake2s_simd, seconded by trees of @stablelib's hashes."""

from documents import KIB, PATTERN, around, case, edges, lengths, sweeps
from oracles import agree

# The second implementation is slow above this length.
SECONDED = 64 * KIB + 1


class Algorithm:
    def __init__(self, oracles, name, block, leaves):
        self.name = name
        self.block = block
        self.leaves = leaves
        self.most = block // 2
        self.oracles = oracles

    def digest(self, size, **options):
        request = {"input": size, **options}
        answer = self.oracles.rust(self.name, **request)
        return agree(answer, self.oracles.node(self.name, **request)) if size <= SECONDED else answer

    def case(self, size, **options):
        return case(size, options, digest=self.digest(size, **options))

    def key(self, length):
        return bytes((3 * i + length) % 256 for i in range(length)).hex()

    def sizes(self):
        """Inputs that in turn end in the first leaf, in the last one, at a whole stripe and after it."""
        stripe = self.block * self.leaves
        return [0, 1, self.block, stripe - self.block, *around(stripe, -1, 0, 1), 2 * stripe, 2 * stripe + 1, 5000]

    def cases(self):
        stripe = self.block * self.leaves
        for size in sorted({*lengths(stripe), *edges(self.block, self.leaves + 1)}):
            yield self.case(size)
        for length in range(1, self.most + 1):
            yield self.case(self.sizes()[length % 10], length=length)
        for length in range(1, self.most + 1):
            yield self.case(self.sizes()[length % 10], length=32 - length % 4, key=self.key(length))
        for size in self.sizes():
            yield self.case(size, key=self.key(self.most))

    def presets(self):
        """As if `count` bytes, the same to each leaf, had left every chaining value as it was."""
        stripe = self.block * self.leaves
        for end in (2**32, 2**32 * self.leaves):
            for count in (end - 2 * stripe, end - stripe):
                for size in (1, stripe, stripe + 1, 3 * stripe - self.block + 1):
                    sources = (self.oracles.node, self.oracles.specified)
                    digest = agree(*(source(self.name, input=size, count=count) for source in sources))
                    yield {"count": str(count), **case(size, digest=digest)}

    def document(self):
        keyed = {"key": self.key(self.most)}
        rust = self.oracles.rust
        plain_sweeps = sweeps(lambda size: rust(self.name, input=size))
        keyed_sweeps = sweeps(lambda size: rust(self.name, input=size, **keyed), last=4097, options=keyed)
        return {
            "algorithm": self.name,
            "pattern": PATTERN,
            "cases": list(self.cases()),
            "sweeps": [*plain_sweeps, *keyed_sweeps],
            "presets": list(self.presets()),
        }


def documents(oracles):
    for name, block, leaves in (("blake2bp", 128, 4), ("blake2sp", 64, 8)):
        yield name, Algorithm(oracles, name, block, leaves).document()
