"""BLAKE2b and BLAKE2s of Python's hashlib: prints a line for each request line, as the programs of test/vectors/generate/oracles do."""

import hashlib
import sys

NUMBERS = {
    "length": "digest_size",
    "fanout": "fanout",
    "maxDepth": "depth",
    "maxLeafLength": "leaf_size",
    "nodeOffset": "node_offset",
    "nodeDepth": "node_depth",
    "innerHashLength": "inner_size",
}
BYTES = {"key": "key", "salt": "salt", "personal": "person"}


def message(fields):
    if "message" in fields:
        return bytes.fromhex(fields["message"])
    length = int(fields.get("input", 0))
    return (bytes(range(251)) * (length // 251 + 1))[:length]


for line in sys.stdin:
    operation, *words = line.split()
    fields = dict(word.split("=", 1) for word in words)
    options = {name: int(fields[field]) for field, name in NUMBERS.items() if field in fields}
    options |= {name: bytes.fromhex(fields[field]) for field, name in BYTES.items() if field in fields}
    options["last_node"] = fields.get("lastNode") == "1"
    print(getattr(hashlib, operation)(message(fields), **options).hexdigest(), flush=True)
