"""Writes the test vectors from independent implementations, or checks that they are as they would be.

    python3 test/vectors/generate/generate.py            write test/vectors/*.json
    python3 test/vectors/generate/generate.py --check    compare instead, exit 1 if a file differs
"""

import argparse
import pathlib
import sys

# A .pyc beside a source file would be a build output in the tree.
sys.dont_write_bytecode = True

import blake1
import blake2
import blake2parallel
import blake2x
import blake3
import official
from documents import render
from oracles import Oracles

VECTORS = pathlib.Path(__file__).resolve().parent.parent
MAKERS = [blake1, blake2, blake2parallel, blake2x, blake3]


def documents(oracles):
    for maker in MAKERS:
        for name, document in maker.documents(oracles):
            yield VECTORS / f"{name}.json", render(document)


def write(path, text):
    path.write_text(text, encoding="utf-8")
    print(f"{path.name}: {len(text)} bytes")
    return True


def compare(path, text):
    same = path.exists() and path.read_text(encoding="utf-8") == text
    print(f"{path.name}: {'as generated' if same else 'DIFFERS'}")
    return same


def main():
    parser = argparse.ArgumentParser(description="Writes the test vectors, or checks them.")
    parser.add_argument("--check", action="store_true", help="compare with the files there are")
    handle = compare if parser.parse_args().check else write
    with Oracles() as oracles:
        official.verify(oracles, VECTORS)
        results = [handle(path, text) for path, text in documents(oracles)]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
