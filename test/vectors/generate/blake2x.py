"""BLAKE2Xb and BLAKE2Xs from the crates blake2b_simd and blake2s_simd, whose parameters make root and output blocks.

Seconded by @stablelib's BLAKE2b and BLAKE2s in the same way, and by golang.org/x/crypto, which has both as they are but
takes no salt or personalisation. Neither can seek: outputs far from the beginning are seconded by the specification.
"""

from documents import KIB, PATTERN, around, case, edges, hash_of_hex, lengths
from oracles import agree


class Algorithm:
    def __init__(self, oracles, name, block, unknown):
        self.name = name
        self.block = block
        self.width = block // 2
        self.label = block // 8
        self.unknown = unknown
        self.oracles = oracles

    def output(self, size, length, **options):
        """An output whose length is declared beforehand."""
        return self.opening(size, length, total=length, **options)

    def opening(self, size, length, **options):
        """The first bytes of an output; without a total its length is unknown."""
        request = {"input": size, "length": length, **options}
        answers = [self.oracles.rust(self.name, **request), self.oracles.node(self.name, **request)]
        if not {"salt", "personal"} & options.keys():
            answers.append(self.oracles.go(self.name, **request))
        return agree(*answers)

    def case(self, size, length, **options):
        return case(size, {"length": length, **options}, digest=self.output(size, length, **options))

    def key(self, length):
        return bytes((3 * i + length) % 256 for i in range(length)).hex()

    def cases(self):
        for size in lengths(self.block):
            if size <= 64 * KIB + 1:
                yield self.case(size, self.width)
        for length in [1, 2, 3, *edges(self.width), 255, 256, 257]:
            yield self.case(3, length)
        for length in range(1, self.width + 1):
            yield self.case(length % 5, 32 + length % 3, key=self.key(length))
        yield from self.labelled()

    def labelled(self):
        for length in range(1, self.label + 1):
            salt = bytes(0x51 + i for i in range(length)).hex()
            personal = bytes(0xA1 + i for i in range(length)).hex()
            yield self.case(3, self.width + 1, salt=salt)
            yield self.case(3, self.width + 1, personal=personal)
            yield self.case(self.block, 100, key=self.key(length), salt=salt, personal=personal)

    def long(self):
        """Outputs too long to write down, as SHA-256 of their hex."""
        # BLAKE2Xs declares a length in 16 bits, of which all ones mean an unknown one.
        declared = [*around(KIB, -1, 0, 1), *around(16 * KIB, -1, 0, 1), *around(64 * KIB, -2, -1, 0, 1)]
        for length in (length for length in declared if length < self.unknown):
            yield case(3, {"length": length}, sha256=hash_of_hex([self.output(3, length)]))

    def sweeps(self):
        """Every declared length, each a different output."""
        for options in ({}, {"key": self.key(self.width)}):
            for first in range(1, 513, 128):
                outputs = [self.output(3, length, **options) for length in range(first, first + 128)]
                shown = {"options": options} if options else {}
                yield {"input": 3, "from": first, "to": first + 127, **shown, "sha256": hash_of_hex(outputs)}

    def positions(self):
        # An output of unknown length ends where the 32-bit block number does.
        end = 2**32 * self.width
        starts = [0, 1, *around(self.width, -1, 0, 1), *around(4 * self.width, -1, 0, 1), 16 * KIB - 1]
        for middle in (2**31, 2**32, 2**31 * self.width):
            starts += around(middle, -self.width, -1, 0, 1)
        return starts + [end - 4 * self.width, end - 100]

    def xof(self):
        salt = bytes(0x51 + i for i in range(self.label)).hex()
        kinds = [{}, {"key": self.key(self.width)}, {"salt": salt}]
        for index, position in enumerate(self.positions()):
            options = kinds[index % 3]
            output = self.at(position, **options)
            yield {**case(self.block + 1, options), "position": str(position), "output": output}

    def at(self, position, **options):
        read = 100
        request = {"input": self.block + 1, "position": position, "length": read, **options}
        output = agree(self.oracles.rust(self.name, **request), self.oracles.specified(self.name, **request))
        if position > 16 * KIB:
            return output
        opening = self.opening(self.block + 1, position + read, **options)
        return agree(output, opening[2 * position :])

    def document(self):
        return {
            "algorithm": self.name,
            "pattern": PATTERN,
            "cases": list(self.cases()),
            "long": list(self.long()),
            "sweeps": list(self.sweeps()),
            "xof": list(self.xof()),
        }


def documents(oracles):
    for name, block, unknown in (("blake2xb", 128, 2**32 - 1), ("blake2xs", 64, 2**16 - 1)):
        yield name, Algorithm(oracles, name, block, unknown).document()
