"""Hashes one file on the processes of Dask, each of which calls the command blakesum:

    python dask_hash.py [--part BYTES] [--processes N] FILE

All machines of a cluster need the file under the same name, and blakesum (npm install --global blake-simd). With
dask.distributed, Client("tcp://scheduler:8786").compute takes the place of dask.compute.
"""

import argparse
import os
import shlex
import subprocess

import dask

# How to call the command, for example "npx blakesum".
BLAKESUM = shlex.split(os.environ.get("BLAKESUM", "blakesum"))


def blakesum(*args, text=None):
    return subprocess.run([*BLAKESUM, *args], input=text, check=True, stdout=subprocess.PIPE, text=True).stdout


@dask.delayed(pure=True)
def hash_part(name, version, offset, length):
    line = blakesum("--subtree", f"{offset}+{length}", "--", name)
    if version_of(name) != version:
        raise RuntimeError(f"{name} has been replaced while it was hashed")
    return line


def version_of(name):
    status = os.stat(name)
    return status.st_size, status.st_mtime_ns, status.st_ino


def digest_of(name, part, processes):
    version = version_of(name)
    length = version[0]
    if length <= part:  # one part: nothing to merge
        return blakesum("--no-names", "--", name)
    tasks = [hash_part(name, version, offset, min(part, length - offset)) for offset in range(0, length, part)]
    lines = dask.compute(*tasks, scheduler="processes", num_workers=processes)
    return blakesum("--merge", str(length), str(part), text="".join(lines))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", type=int, default=2**26)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("file")
    given = parser.parse_args()
    print(f"{digest_of(given.file, given.part, given.processes).strip()}  {given.file}")
