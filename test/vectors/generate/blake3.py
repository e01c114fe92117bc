"""BLAKE3 from the crate blake3: three modes, extended output, seeks, subtrees.

Digests are seconded by @noble/hashes; seeks, subtrees and merges by the proofs' specification.
"""

from documents import KIB, MIB, PATTERN, around, case, edges, hash_of_hex, lengths, sweeps
from oracles import agree

KEY = bytes(0x60 + i for i in range(32)).hex()
CONTEXT = "blake-simd 2025-01-01 00:00:00 test vectors"
MODES = {"hash": {}, "keyed": {"key": KEY}, "derive": {"context": CONTEXT}}
# The second implementation is slow above this length.
SECONDED = 128 * KIB + 1
CONTEXTS = ["", "a", "\u00e9\u6f22\U0001f511", "b" * 64, "c" * 1024, "d" * 1025]


def wire(options):
    """A context is text in a file, and hex on the way to an oracle."""
    return {name: value.encode("utf-8").hex() if name == "context" else value for name, value in options.items()}


class Algorithm:
    def __init__(self, oracles):
        self.rust = oracles.rust
        self.node = oracles.node
        self.specified = oracles.specified

    def both(self, operation, **request):
        return agree(self.rust(operation, **request), self.specified(operation, **request))

    def output(self, size, length, options):
        request = {"input": size, "length": length, **wire(options)}
        answer = self.rust("blake3", **request)
        return agree(answer, self.node("blake3", **request)) if size <= SECONDED else answer

    def modes(self, size, length):
        return {mode: self.output(size, length, options) for mode, options in MODES.items()}

    def cases(self):
        """The three modes side by side; at the edges of the first chunks with output of more than two blocks."""
        extended = {0, 1, 2, 3, *edges(64), *edges(KIB, 4), 1000}
        for size in sorted(extended | self.sizes()):
            yield {"input": size, **self.modes(size, 131 if size in extended else 32)}

    def sizes(self):
        sizes = {*lengths(64), *around(KIB, -65, -64, -63, 63, 64, 65)}
        for power in range(13):
            sizes.update(around(KIB << power, -1, 0, 1))
        for chunks in (3, 5, 6, 7, 9, 15, 17, 31, 33, 63, 65, 127, 129):
            sizes.update(around(chunks * KIB, -1, 0, 1))
        return sizes

    def keyed_cases(self):
        """Other keys, and contexts from empty to longer than a chunk."""
        keys = [{"key": "00" * 32}, {"key": "ff" * 32}]
        for options in [*keys, *({"context": context} for context in CONTEXTS)]:
            for size in (0, 1025):
                yield case(size, options, digest=self.output(size, 32, options))

    def long(self):
        """Outputs too long to write down, as SHA-256 of their hex."""
        for options in MODES.values():
            for length in [*around(KIB, -1, 0, 1), *around(16 * KIB, -1, 0, 1), *around(64 * KIB, -1, 1), MIB]:
                output = self.output(1025, length, options)
                yield case(1025, {"length": length, **options}, sha256=hash_of_hex([output]))

    def sweeps(self):
        for options in MODES.values():
            yield from sweeps(lambda size: self.rust("blake3", input=size, **wire(options)), options=options)

    def positions(self):
        """Edges of blocks, of groups of four, of 32-bit and 53-bit positions and of 32-bit block numbers."""
        positions = [0, 1, *around(64, -1, 0, 1), *around(256, -1, 0, 1), *around(16 * KIB, -1, 0, 1)]
        for power in (31, 32, 38, 53, 63):
            positions += around(2**power, -256, -65, -64, -1, 0, 1)
        return positions

    def xof(self):
        """Reads at a position; the last ones end at 2^64 - 1, where the output does."""
        reads = [(position, 200) for position in self.positions()]
        reads += [(2**64 - 1 - length, length) for length in (1, 63, 64, 200, 1000)]
        for index, (position, length) in enumerate(reads):
            mode = list(MODES)[index % 3]
            size = (1, 64, 1025, 4096)[index % 4]
            request = {"input": size, "position": position, "length": length, **wire(MODES[mode])}
            output = self.both("blake3", **request)
            yield {"mode": mode, "input": size, "position": str(position), "output": output}

    def subtree_shapes(self):
        for size in (1, 64, 1023, 1024, 1025, 2047, 2048, 3072, 4096, 5000, 16384, 65537):
            yield 0, size
        for offset in (KIB, 3 * KIB, 2**32 - KIB, 2**42 - KIB, 2**53 - KIB):
            yield from ((offset, size) for size in (1, 1023, 1024))
        for offset in (2 * KIB, 4 * KIB, 16 * KIB, MIB, 2**32, 2**42, 2**42 + 16 * KIB, 2**53, 2**63, 2**63 + 2**62):
            yield from ((offset, size) for size in (1, 1025, 2048, 16 * KIB) if size <= (offset & -offset))
        # No input is longer than 2^64 - 1, so the last chunk there can be is one byte short.
        yield 2**64 - KIB, 1023

    def chaining_value(self, offset, size, mode):
        return self.both("chaining-value", offset=offset, input=size, **wire(MODES[mode]))

    def subtrees(self):
        for index, (offset, size) in enumerate(self.subtree_shapes()):
            mode = list(MODES)[index % 3]
            value = self.chaining_value(offset, size, mode)
            yield {"mode": mode, "offset": str(offset), "input": size, "chainingValue": value}

    def merges(self):
        """Two chaining values become their parent's, or the root's output."""
        for mode, options in MODES.items():
            for size in (1024, 4096):
                children = {"left": self.chaining_value(0, size, mode), "right": self.chaining_value(size, size, mode)}
                request = {**children, **wire(options)}
                root = self.both("root", length=131, **request)
                yield {"mode": mode, **children, "parent": self.both("parent", **request), "root": root}

    def left_sizes(self):
        whole = [around(KIB << power, -1, 0, 1) for power in (1, 2, 3, 10, 21, 22, 42, 43, 52)]
        sizes = [KIB + 1, *(size for group in whole for size in group), 2**63, 2**63 + 1, 2**64 - 2]
        for size in sizes:
            yield {"size": str(size), "leftSize": self.rust("left-length", length=size)}

    def longest(self):
        """By the rule a subtree at offset 0 may have any length; that is written as 0."""
        chunks = [*range(0, 9), 12, 2**22 - 1, 2**22, 3 * 2**21, 2**43, 2**53, 2**54 - 1]
        for offset in (chunk * KIB for chunk in chunks):
            yield {"offset": str(offset), "longest": self.rust("max-length", offset=offset)}

    def large(self):
        for size in around(4 * KIB * MIB, -1, 0, 1):
            yield case(size, digest=self.rust("blake3", input=size))

    def document(self):
        return {
            "algorithm": "blake3",
            "pattern": PATTERN,
            "modes": MODES,
            "modeCases": list(self.cases()),
            "cases": list(self.keyed_cases()),
            "long": list(self.long()),
            "sweeps": list(self.sweeps()),
            "xof": list(self.xof()),
            "subtrees": list(self.subtrees()),
            "merges": list(self.merges()),
            "leftSizes": list(self.left_sizes()),
            "longestSubtrees": list(self.longest()),
            "large": list(self.large()),
        }


def documents(oracles):
    yield "blake3", Algorithm(oracles).document()
