"""Checks official.json, whose values come from outside, against the same implementations that make the other files."""

import hashlib
import json

from blake3 import wire
from documents import counting, hash_of_hex


def patterned(pattern, size):
    return counting(size) if pattern == "counting" else bytes(i % 256 for i in range(size))


def numbers(ranges):
    return [number for first, last in ranges for number in range(first, last + 1)]


def split(messages):
    for item in messages:
        yield item["message"], {name: value for name, value in item.items() if name != "message"}


def requests(entry, messages):
    """The set's inputs and options, in its own order."""
    shared = entry.get("options", {})
    if "messages" in entry:
        return [(bytes.fromhex(message), salt) for message, salt in split(messages[entry["messages"]])]
    inputs = [patterned(entry["pattern"], size) for size in numbers(entry["sizes"])]
    outputs = [{**shared, "length": length} for length in numbers(entry.get("lengths", []))] or [shared]
    return [(data, options) for data in inputs for options in outputs]


def digest(oracles, algorithm, data, options):
    if algorithm in ("blake2b", "blake2s"):
        return getattr(hashlib, algorithm)(data, key=bytes.fromhex(options.get("key", ""))).hexdigest()
    if algorithm in ("blake384", "blake512"):
        return oracles.node(algorithm, message=data.hex(), **options)
    if algorithm.startswith("blake2x"):
        return oracles.go(algorithm, message=data.hex(), total=options["length"], **options)
    oracle = oracles.go if algorithm in ("blake224", "blake256") else oracles.rust
    return oracle(algorithm, message=data.hex(), **wire(options))


def verify(oracles, folder):
    messages = json.loads((folder / "messages.json").read_text(encoding="utf-8"))
    for entry in json.loads((folder / "official.json").read_text(encoding="utf-8"))["sets"]:
        outputs = [digest(oracles, entry["algorithm"], *request) for request in requests(entry, messages)]
        if hash_of_hex(outputs) != entry["sha256"]:
            raise SystemExit(f"official.json, {entry['name']}: the implementations give {hash_of_hex(outputs)}")
    print("official.json: agrees with the implementations")
