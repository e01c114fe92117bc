// Preloaded before the package, in its workers too: a host whose node:fs lies in the way that LIE names.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { read, readSync } = fs;
const opened = await fs.promises.open(process.execPath);
const Handle = Object.getPrototypeOf(opened);
await opened.close();
const { read: readHandle } = Handle;

/** Copies of what was read, to where each lie has them; the caller gets the number of bytes. */
const lies = {
  "bytes are said to be read that are not written": () => {},
  "byteOffset is ignored": (target, at, bytes) => new Uint8Array(target.buffer).set(bytes, at),
  "the index is ignored": (target, _at, bytes) => target.set(bytes),
  "the first half is written": (target, at, bytes) => target.set(bytes.subarray(0, bytes.length >> 1), at),
  "the first bytes are not written": (target, at, bytes) =>
    target.set(bytes.subarray(32), at + Math.min(32, bytes.length)),
};
const write = lies[process.env.LIE];

if (write) {
  fs.readSync = (fd, target, at, length, position) => {
    const bytes = new Uint8Array(length);
    const count = readSync(fd, bytes, 0, length, position);
    write(target, at, bytes.subarray(0, count));
    return count;
  };
  fs.read = (fd, target, at, length, position, done) => {
    const bytes = new Uint8Array(length);
    read(fd, bytes, 0, length, position, (error, count) => {
      if (!error) write(target, at, bytes.subarray(0, count));
      done(error, count, target);
    });
  };
  Handle.read = async function (target, at, length, position) {
    const bytes = new Uint8Array(length);
    const { bytesRead } = await readHandle.call(this, bytes, 0, length, position);
    write(target, at, bytes.subarray(0, bytesRead));
    return { bytesRead, buffer: target };
  };
}

// What has been opened is no descriptor, and whatever is asked of it has the reply of an empty file.
if (process.env.LIE === "a file that is missing seems open and empty") {
  const status = (options) => {
    const zero = options?.bigint ? 0n : 0;
    const not = () => false;
    return {
      size: zero,
      dev: zero,
      ino: zero,
      blocks: zero,
      mtimeMs: zero,
      isFile: () => true,
      isFIFO: not,
      isDirectory: not,
    };
  };
  const handle = {
    fd: undefined,
    stat: async (options) => status(options),
    read: async () => ({ bytesRead: 0 }),
    close: async () => {},
  };
  Object.assign(fs, {
    open: (_path, _flags, done) => done(null, undefined),
    openSync: () => undefined,
    fstatSync: (_fd, options) => status(options),
    statSync: (_path, options) => status(options),
    read: (_fd, target, _at, _length, _position, done) => done(null, 0, target),
    readSync: () => 0,
    close: (_fd, done) => done?.(null),
    closeSync: () => {},
  });
  Object.assign(fs.promises, { open: async () => handle, stat: async () => status() });
}
syncBuiltinESMExports();
