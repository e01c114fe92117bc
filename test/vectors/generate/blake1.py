"""BLAKE-224/256 from Go's dcrd and BLAKE-384/512 from @noble/hashes, each confirmed by a second implementation."""

from documents import MIB, PATTERN, around, case, lengths, sweeps
from oracles import agree

# The second implementation is slow above this length.
SECONDED = 128 * 1024 + 1


def salts(size):
    counting = bytes(range(size)).hex()
    return [counting, "ff" * size, bytes((7 * i + 11) % 256 for i in range(size)).hex()]


class Algorithm:
    def __init__(self, oracles, bits):
        self.name = f"blake{bits}"
        self.small = bits < 300
        self.block = 64 if self.small else 128
        self.oracles = oracles

    def first(self, **request):
        return (self.oracles.go if self.small else self.oracles.node)(self.name, **request)

    def second(self, **request):
        name = self.name if self.small else f"{self.name}-preset"
        return self.oracles.node(name, **request)

    def digest(self, size, **options):
        answer = self.first(input=size, **options)
        return agree(answer, self.second(input=size, **options)) if size <= SECONDED else answer

    def cases(self):
        # The length field begins 9 or 17 bytes before the end of a block.
        field = self.block - (9 if self.small else 17)
        padding = [length for n in range(3) for length in around(n * self.block + field, -1, 0, 1)]
        for size in sorted({*lengths(self.block), *padding}):
            yield case(size, digest=self.digest(size))
        for salt in salts(self.block // 4):
            for size in [0, 1, *padding, self.block - 1, self.block, self.block + 1, 1000, 4097]:
                yield case(size, {"salt": salt}, digest=self.digest(size, salt=salt))

    def presets(self):
        """As if `count` bytes had left the chaining value as it was: counters near their ends, without the hours."""
        # The counter counts bits: a 32-bit word of it ends at 2^29 bytes, a 64-bit one at 2^61.
        ends = [2**29, 2**32, 2**61] if self.small else [2**29, 2**61, 2**62]
        for end in ends:
            for count in (end - 2 * self.block, end - self.block):
                for size in self.preset_sizes(count):
                    digest = self.preset(count, size)
                    yield {"count": str(count), **case(size, digest=digest)}

    def preset_sizes(self, count):
        # Two words of 32 bits can count no further than their end.
        room = 2**61 - 1 - count if self.small else 2**64
        return [size for size in (1, self.block - 1, self.block, self.block + 1, 5 * self.block + 3) if size <= room]

    def preset(self, count, size):
        second = self.oracles.node(f"{self.name}-preset", input=size, count=count)
        if self.name == "blake384":
            return second
        first = self.oracles.go if self.small else self.oracles.specified
        return agree(first(self.name, input=size, count=count), second)

    def chains(self):
        for size in around(self.block, -1, 1) + [200, 1000]:
            for options in ({}, {"salt": salts(16)[0]}):
                yield case(size, options, chain=self.oracles.go(f"{self.name}-chain", input=size, **options))

    def document(self):
        document = {
            "algorithm": self.name,
            "pattern": PATTERN,
            "cases": list(self.cases()),
            "sweeps": list(sweeps(lambda size: self.first(input=size))),
            "presets": list(self.presets()),
        }
        if self.small:
            document["chains"] = list(self.chains())
            sizes = around(512 * MIB, -1, 0, 1, 65)
            document["large"] = [case(size, digest=self.first(input=size)) for size in sizes]
        return document


def documents(oracles):
    for bits in (224, 256, 384, 512):
        yield f"blake{bits}", Algorithm(oracles, bits).document()
