// The Rust crates bao and bao-tree as a program that replies to requests (src/main.rs).
import { spawn } from "node:child_process";
import { join } from "node:path";

const PROGRAM = join(import.meta.dirname, "../../build/bao-oracle/release/bao-oracle");

/** The content that the program makes itself: 32-bit counters from a seed on. */
export function content(seed, length) {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let i = 0; i < words.length; i++) words[i] = seed + i;
  return new Uint8Array(words.buffer, 0, length);
}

/** Starts the program; `ask` resolves with `{ done, bytes }`, one request after the other. */
export function startOracle() {
  const child = spawn(PROGRAM, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [];
  let received = Buffer.alloc(0);
  child.on("exit", (code) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`the oracle has ended with ${code}`));
  });
  child.stdout.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 5 && received.length >= 5 + received.readUInt32LE(1)) {
      const end = 5 + received.readUInt32LE(1);
      waiting.shift().resolve({ done: received[0] === 1, bytes: received.subarray(5, end) });
      received = received.subarray(end);
    }
  });
  return {
    ask(words, payload = new Uint8Array()) {
      const answer = new Promise((resolve, reject) => waiting.push({ resolve, reject }));
      child.stdin.write(`${[...words, payload.length].join(" ")}\n`);
      if (payload.length > 0) child.stdin.write(payload);
      return answer;
    },
    stop: () => child.stdin.end(),
  };
}
