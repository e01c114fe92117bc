// hashFileSync of blake-simd/node: paths, lengths and failures.
import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { blake2b, blake3 } from "blake-simd";
import { hashFile, hashFileSync } from "blake-simd/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readToEnd } from "../../js/node/read-sync.ts";
import { openFiles } from "../support/open-files.ts";
import { bytes, nobleDigest, rejection } from "../support/streams.ts";

describe("hashFileSync", () => {
  const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
  const path = join(folder, "message");
  const message = bytes(600_000);
  beforeAll(() => writeFileSync(path, message));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("takes paths and URLs", () => {
    for (const file of [path, Buffer.from(path), pathToFileURL(path)]) {
      expect(hashFileSync(blake3, file)).toEqual(nobleDigest(message));
    }
  });

  it.each([0, 1, 1000, 262_143, 262_144, 262_145, 524_288])("reads %i bytes, with and without options", (size) => {
    const other = join(folder, "other");
    writeFileSync(other, message.subarray(0, size));
    expect(hashFileSync(blake3, other)).toEqual(nobleDigest(message.subarray(0, size)));
    const options = { key: bytes(5), length: 9 };
    expect(hashFileSync(blake2b, other, options)).toEqual(blake2b(message.subarray(0, size), options));
  });

  it.runIf(existsSync("/proc/self/limits"))("reads files that report no size", () => {
    expect(hashFileSync(blake3, "/proc/self/limits")).toEqual(nobleDigest(readFileSync("/proc/self/limits")));
  });

  it.runIf(existsSync("/sys/kernel/uevent_seqnum"))("reads a file of /sys, which is shorter than it says", () => {
    const name = "/sys/kernel/uevent_seqnum";
    expect(hashFileSync(blake3, name)).toEqual(nobleDigest(readFileSync(name)));
  });

  it("may be called by a getter among the options", () => {
    const key = join(folder, "key");
    writeFileSync(key, "a password");
    class Keyed {
      get key() {
        return hashFileSync(blake3, key);
      }
    }
    const options = { key: nobleDigest(Buffer.from("a password")) };
    expect(hashFileSync(blake3, path, new Keyed())).toEqual(blake3(message, options));
  });

  it("refuses a long file that changes meanwhile, by its name", () => {
    const victim = join(folder, "victim");
    writeFileSync(victim, message);
    const create = () => {
      appendFileSync(victim, "more");
      return blake3.create();
    };
    // Called after the first read.
    const changing: typeof blake3 = Object.create(blake3, { create: { value: create } });
    expect(() => hashFileSync(changing, victim)).toThrow(`the file changed while it was read '${victim}'`);
  });

  it.each([
    ["no such file", () => hashFileSync(blake3, join(folder, "nope")), { code: "ENOENT" }],
    ["no path", () => hashFileSync(blake3, 5 as unknown as string), { code: "ERR_INVALID_ARG_TYPE" }],
    ["a name for an algorithm", () => hashFileSync("blake3" as never, path), { name: "TypeError" }],
    ["a wrong length", () => hashFileSync(blake2b, path, { length: 65 }), { name: "RangeError" }],
    ["no options", () => hashFileSync(blake3, path, null as never), { name: "TypeError" }],
    ["a signal", () => hashFileSync(blake3, path, { signal: AbortSignal.abort() } as object), { name: "TypeError" }],
    ["progress", () => hashFileSync(blake3, path, { onProgress() {} } as object), { name: "TypeError" }],
  ])("throws for %s", (_, act, error) => {
    expect(act).toThrow(expect.objectContaining(error));
  });

  it("names a folder as hashFile does", async () => {
    const error = (await rejection(hashFile(blake3, folder))) as Error;
    expect(error).toMatchObject({ code: "EISDIR", path: folder });
    expect(() => hashFileSync(blake3, folder)).toThrow(expect.objectContaining({ code: "EISDIR", path: folder }));
  });

  it.runIf(process.platform === "linux")("reads a pipe to its end, whatever its size says", () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const writer = spawn("sh", ["-c", '(printf abc; sleep 0.2; printf def) > "$0"', pipe]);
    const descriptor = openSync(pipe, "r");
    let text = "";
    // As on macOS, where it is what waits in the pipe.
    const status = { isFile: () => false, size: 3 } as Stats;
    readToEnd(descriptor, status, (bytes) => {
      text += Buffer.from(bytes);
    });
    closeSync(descriptor);
    writer.kill();
    expect(text).toBe("abcdef");
  });

  it.runIf(process.platform === "linux")("leaves no file open", () => {
    // What other tests have open may be closed at any time, but nothing is to be added.
    const before = openFiles();
    expect(() => hashFileSync(blake3, folder)).toThrow();
    hashFileSync(blake3, path);
    expect(openFiles().filter((file) => file.startsWith(folder) && !before.includes(file))).toEqual([]);
  });
});
