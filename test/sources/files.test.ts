// The contract of sources: each kind of file, by each call that reads files. What one changes to gives the digest of
// before, that of after, or an error; and no file stays open.
import { execFile, execFileSync } from "node:child_process";
import {
  appendFileSync,
  createReadStream,
  existsSync,
  openAsBlob,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { blake3, toHex } from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import { hashFile, hashFileSync, hashThrough, verifyFile } from "blake-simd/node";
import { digestOf } from "blake-simd/streams";
import { expect, it } from "vitest";
import { blakesum } from "../support/blakesum.ts";
import { pattern } from "../support/messages.ts";
import { openFiles } from "../support/open-files.ts";
import { expectedDigest } from "../support/oracle.ts";
import { folder, path, pool } from "../support/pool.ts";
import { forbidUnhandledRejections } from "../support/streams.ts";

forbidUnhandledRejections();

type Given = { onProgress?: () => void };

const ofHandle = async (name: string, use: (file: Awaited<ReturnType<typeof open>>) => Promise<Uint8Array>) => {
  const handle = await open(name);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
};
const { signal } = new AbortController();

const calls: Record<string, (name: string, given?: Given) => Promise<Uint8Array>> = {
  hashFileSync: async (name) => hashFileSync(blake3, name),
  hashFile: (name, given) => hashFile(blake3, name, given),
  "hashFile without options": (name) => hashFile(blake3, name),
  "hashFile of a URL, with a signal": (name, given) => hashFile(blake3, pathToFileURL(name), { signal, ...given }),
  "hashFile of a handle": (name, given) => ofHandle(name, (file) => hashFile(blake3, file, given)),
  "Blake3Pool.hash": (name, given) => pool.hash({ path: name }, given),
  "Blake3Pool.hash of a handle": (name, given) => ofHandle(name, (file) => pool.hash(file, given)),
  "outboardOf with a pool": async (name, given) => (await outboardOf({ path: name }, { pool, ...given })).root,
  "digestOf a Node stream": (name, given) => digestOf(blake3, createReadStream(name), given),
  hashThrough: async (name) => {
    const digests: Uint8Array[] = [];
    const take = (bytes: Uint8Array) => void digests.push(bytes);
    await pipeline(createReadStream(name), hashThrough(blake3, take), async (chunks: AsyncIterable<unknown>) => {
      for await (const _ of chunks);
    });
    return digests[0]!;
  },
  "the command": async (name) => {
    const { status, stdout, stderr } = await blakesum(["-a", "blake3", name]);
    if (status !== 0) throw new Error(stderr);
    return Buffer.from(stdout.slice(0, 64), "hex");
  },
};
const blobs: typeof calls = {
  "digestOf a Blob": async (name, given) => digestOf(blake3, await openAsBlob(name), given),
  "digestOf a File around it": async (name, given) => digestOf(blake3, new File([await openAsBlob(name)], "a"), given),
  "digestOf a slice of it": async (name) => digestOf(blake3, new Blob(["-", await openAsBlob(name)]).slice(1)),
  "Blake3Pool.hash of a Blob": async (name, given) => pool.hash(await openAsBlob(name), given),
};

const regular = Object.entries({ ...calls, ...blobs });
const sizes = [0, 1, 1024, 1025, 65_535, 65_536, 65_537, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 3_000_005];
const hex = (bytes: Uint8Array) => toHex(Uint8Array.from(bytes));
const wanted = (content: Uint8Array) => expectedDigest("blake3", content);
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Node closes the file of a Blob when what has read it is collected. */
const noneOpen = () =>
  expect
    .poll(() => {
      collect();
      return openFiles().filter((name) => name.startsWith(folder));
    })
    .toEqual([]);

it.each(regular)("%s: files of each size, and with holes", async (_, call) => {
  for (const size of sizes) {
    const content = pattern(size);
    writeFileSync(path("regular"), content);
    expect([size, hex(await call(path("regular")))]).toEqual([size, hex(wanted(content))]);
  }
  writeFileSync(path("holes"), "");
  truncateSync(path("holes"), 2_000_000);
  appendFileSync(path("holes"), "the end");
  expect(hex(await call(path("holes")))).toBe(hex(wanted(readFileSync(path("holes")))));
  await noneOpen();
});

const special = [
  "/proc/sys/kernel/ostype",
  "/proc/version",
  "/sys/kernel/mm/transparent_hugepage/enabled",
  "/dev/null",
];
it.runIf(process.platform === "linux").each(Object.entries(calls))(
  "%s: files of the kernel, and a FIFO",
  async (name, call) => {
    // A pool reads by its size a file that has one.
    const known = special.filter((each) => existsSync(each) && !(/ool/.test(name) && each.startsWith("/sys")));
    for (const file of known) expect([file, hex(await call(file))]).toEqual([file, hex(wanted(readFileSync(file)))]);
    const fifo = path(`fifo-${name.replace(/\W/g, "")}`);
    execFileSync("mkfifo", [fifo]);
    const content = pattern(200_000);
    writeFileSync(path("content"), content);
    // By a process of its own, since a synchronous call blocks this one.
    execFile("sh", ["-c", 'cat "$0" > "$1"', path("content"), fifo]);
    expect(hex(await call(fifo))).toBe(hex(wanted(content)));
  },
);

const changes: Record<string, (name: string) => void> = {
  grows: (name) => appendFileSync(name, pattern(1_000_000)),
  shrinks: (name) => truncateSync(name, 2_500_000),
  "becomes empty": (name) => truncateSync(name, 0),
};
const changed = regular.filter(([name]) => !/without|Sync|command|hashThrough|slice|Node stream/.test(name));
it.each(Object.keys(changes).flatMap((how) => changed.map(([name, call]) => [name, how, call] as const)))(
  "%s: a file that %s once some of it has been read",
  async (_, how, call) => {
    const name = path("changes");
    writeFileSync(name, pattern(4_000_000));
    let isChanged = false;
    const onProgress = () => {
      if (!isChanged) changes[how]!(name);
      isChanged = true;
    };
    const outcome = await call(name, { onProgress }).then(hex, (error) => error);
    const right = [pattern(4_000_000), readFileSync(name)].map((content) => hex(wanted(content)));
    if (outcome instanceof Error) expect(outcome.message).toMatch(/shorter|changed|could not be read/);
    else expect(right).toContain(outcome);
    await noneOpen();
  },
);

const namings: Record<string, (file: Buffer | URL) => Promise<Uint8Array>> = {
  hashFile: (file) => hashFile(blake3, file),
  "hashFile with a signal": (file) => hashFile(blake3, file, { signal }),
  verifyFile: async (file) => {
    await verifyFile(blake3, file, wanted(pattern(1000)));
    return wanted(pattern(1000));
  },
  "Blake3Pool.hash": (file) => pool.hash({ path: file }),
  "outboardOf with a pool": async (file) => (await outboardOf({ path: file }, { pool })).root,
};

it.each(Object.entries(namings))("%s: a name whose bytes or URL the caller uses for another file", async (_, call) => {
  writeFileSync(path("one"), pattern(1000));
  writeFileSync(path("two"), pattern(2000));
  const name = Buffer.from(path("one"));
  const url = pathToFileURL(path("one"));
  const digests = [call(name), call(url)];
  name.write(path("two"));
  url.pathname = pathToFileURL(path("two")).pathname;
  for (const digest of digests) expect(hex(await digest)).toBe(hex(wanted(pattern(1000))));
});

it("hashFile: a file that becomes shorter has its name, though the caller has used the bytes for another one", async () => {
  writeFileSync(path("shorter"), pattern(4_000_000));
  const name = Buffer.from(path("shorter"));
  const onProgress = () => {
    name.fill(0);
    truncateSync(path("shorter"), 2_000_000);
  };
  await expect(hashFile(blake3, name, { onProgress })).rejects.toMatchObject({ path: path("shorter") });
});
