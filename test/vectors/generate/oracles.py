"""The programs of test/oracles: each is built and replies to requests line by line."""

import pathlib
import subprocess

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "oracles"
BUILD = SOURCES.parents[1] / "build" / "oracles"


def run(language, *command):
    done = subprocess.run(command, cwd=SOURCES / language, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def build_rust():
    run("rust", "cargo", "build", "--release", "--locked", "--target-dir", str(BUILD / "rust"))
    return [str(BUILD / "rust" / "release" / "oracle")]


def build_go():
    # The assembly of x/crypto's BLAKE2b compares its counter as a signed number: wrong from 2^63 bytes on.
    run("go", "go", "build", "-tags", "purego", "-mod=readonly", "-o", str(BUILD / "go" / "pure"), ".")
    return [str(BUILD / "go" / "pure")]


def build_node():
    run("node", "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
    return ["node", str(SOURCES / "node" / "oracle.mjs")]


class Oracle:
    """One running program; calling it sends a request and returns the reply."""

    def __init__(self, command):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, text=True, bufsize=1, **pipes)

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

    def __enter__(self):
        self.rust, self.go, self.node = self.running = [Oracle(build()) for build in (build_rust, build_go, build_node)]
        return self

    def specified(self, operation, **fields):
        """The proofs' specification, which the program in Node asks."""
        return self.node(f"specified-{operation}", **fields)

    def __exit__(self, *reason):
        for oracle in self.running:
            oracle.close()


def agree(*answers):
    """The digest that independent implementations agree on."""
    if len(set(answers)) != 1:
        raise SystemExit(f"the implementations disagree: {answers}")
    return answers[0]
