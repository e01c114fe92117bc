"""The programs that know the hashes: each is built in a scratch folder and replies to requests line by line."""

import os
import pathlib
import shutil
import subprocess

SOURCES = pathlib.Path(__file__).resolve().parent / "oracles"


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def build_rust(folder):
    run(["cargo", "build", "--release", "--jobs", "1", "--target-dir", "target"], folder)
    return ["target/release/oracle"]


def build_go(folder):
    # The assembly of x/crypto's BLAKE2b compares its counter as a signed number: wrong from 2^63 bytes on.
    run(["go", "build", "-tags", "purego", "-mod=readonly", "-o", "oracle", "."], folder)
    return ["./oracle"]


def build_node(folder):
    run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"], folder)
    return ["node", "oracle.mjs"]


class Oracle:
    """One running program; calling it sends a request and returns the reply."""

    def __init__(self, command, folder):
        program = [str(folder / command[0]) if os.sep in command[0] else command[0], *command[1:]]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(program, cwd=folder, text=True, bufsize=1, **pipes)

    def __call__(self, operation, **fields):
        words = [operation, *(f"{name}={value}" for name, value in fields.items())]
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer.endswith("\n"):
            raise SystemExit(f"no answer to: {' '.join(words)[:200]}")
        return answer.strip()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Oracles:
    """All of them, as attributes, for as long as the context lasts."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []

    def start(self, name, build):
        folder = self.folder / name
        shutil.copytree(SOURCES / name, folder)
        oracle = Oracle(build(folder), folder)
        self.running.append(oracle)
        return oracle

    def __enter__(self):
        self.rust = self.start("rust", build_rust)
        self.go = self.start("go", build_go)
        self.node = self.start("node", build_node)
        return self

    def __exit__(self, *reason):
        for oracle in self.running:
            oracle.close()


def agree(*answers):
    """The digest that independent implementations agree on."""
    if len(set(answers)) != 1:
        raise SystemExit(f"the implementations disagree: {answers}")
    return answers[0]
