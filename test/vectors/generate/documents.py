"""How a vector file looks, and the lists of lengths that all of them share."""

import hashlib
import json

PATTERN = "byte i of every input is i % 251"
KIB = 1024
MIB = 1024 * KIB


def render(document):
    """JSON with one case per line, so that a diff names the case."""
    fields = [f'"{name}": {render_field(value)}' for name, value in document.items()]
    return "{\n" + ",\n".join(fields) + "\n}\n"


def render_field(value):
    if not isinstance(value, list):
        return render_item(value)
    return "[\n" + ",\n".join(f"  {render_item(item)}" for item in value) + "\n]"


def render_item(item):
    return json.dumps(item, ensure_ascii=True, separators=(",", ":"))


def counting(length):
    period = bytes(range(251))
    return (period * (length // 251 + 1))[:length]


def case(size, options=None, **results):
    """One case; options that are not given are not written either."""
    return {"input": size, **({"options": options} if options else {}), **results}


def around(value, *distances):
    return [value + distance for distance in distances]


def edges(block, count=4):
    return [length for n in range(1, count + 1) for length in around(n * block, -1, 0, 1)]


def lengths(*blocks):
    """Every boundary where a kernel may change its way of working."""
    chosen = {0, 1, 2, 3}
    for block in blocks:
        chosen.update(edges(block))
    for kib in (1, 2, 3, 5):
        chosen.update(around(kib * KIB, -1, 0, 1))
    for kib in (4, 8, 12, 16):
        chosen.update(around(kib * KIB, -63, -2, -1, 0, 1))
    for size in (64 * KIB, 128 * KIB, MIB):
        chosen.update(around(size, -1, 0, 1))
    return sorted(chosen)


def hash_of_hex(outputs):
    """SHA-256 of the outputs' lower-case hex, one after the other: the whole list in one line."""
    return hashlib.sha256("".join(outputs).encode("ascii")).hexdigest()


def sweeps(digest, last=16 * KIB + 1, step=KIB, options=None):
    """Every length from 0 to the last one; a sweep per step, so that a failure says roughly where."""
    for first in range(0, last + 1, step):
        final = min(first + step - 1, last)
        digests = hash_of_hex(digest(length) for length in range(first, final + 1))
        yield {"from": first, "to": final, **({"options": options} if options else {}), "sha256": digests}
