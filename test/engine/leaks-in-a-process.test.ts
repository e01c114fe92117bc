// Keys and chaining values in all memory that a process can write, after what had them was disposed of: also copies
// that the engine has made, such as V8's of short arrays whose `buffer` is read.
import { expect, it } from "vitest";
import { runNode } from "../support/child.ts";

const prelude = `
  import { openSync, readFileSync, readSync } from "node:fs";
  import { blake2b, blake2s } from "blake-simd";
  import { blake3 } from "blake-simd/blake3";
  import { chainingValue, mergeSubtrees, SubtreeCollector, SubtreeGroupHasher, SubtreeHasher } from "blake-simd/hazmat";
  import { hkdf, hmac, nobleHash } from "blake-simd/hmac";
  import { Blake3Pool } from "blake-simd/parallel";
  import { restore, save } from "blake-simd/states";

  // Not in V8's heap, where it could be copied as well.
  const secret = crypto.getRandomValues(new Uint8Array(new ArrayBuffer(4096), 0, 32));
  const masked = Buffer.allocUnsafeSlow(4096).subarray(0, 16);

  /** What to look for; by default the first random bytes. */
  function lookFor(bytes) {
    secret.set(bytes.subarray(0, 32));
    for (let i = 0; i < 16; i++) masked[i] = secret[i] ^ 0x5a;
  }
  lookFor(secret);

  /** An array whose bytes are the secret's under a pad, and that is not in V8's heap either. */
  function under(pad) {
    const bytes = new Uint8Array(new ArrayBuffer(4096), 0, 32);
    for (let i = 0; i < 32; i++) bytes[i] = secret[i] ^ pad;
    return bytes;
  }

  /** A call before and after which garbage is collected. */
  const collectingOf = (call) => (...args) => {
    gc({ type: "minor" });
    const result = call(...args);
    gc({ type: "minor" });
    return result;
  };

  /** An algorithm in whose calls garbage is collected, as any allocation may cause. */
  const collecting = (algorithm) => Object.assign((...args) => collectingOf(algorithm)(...args), {
    algorithm: algorithm.algorithm,
    blockLength: algorithm.blockLength,
    digestLength: algorithm.digestLength,
    hex: collectingOf(algorithm.hex),
    into: collectingOf(algorithm.into),
    create(options) {
      gc({ type: "minor" });
      const hasher = algorithm.create(options);
      for (const method of ["update", "digestInto", "clone"]) {
        hasher[method] = collectingOf(hasher[method].bind(hasher));
      }
      return hasher;
    },
  });

  function occurrences(bytes) {
    let count = 0;
    for (let at = bytes.indexOf(masked[0] ^ 0x5a); at >= 0; at = bytes.indexOf(masked[0] ^ 0x5a, at + 1)) {
      let same = 1;
      while (same < 16 && bytes[at + same] === (masked[same] ^ 0x5a)) same++;
      if (same === 16) count++;
    }
    return count;
  }

  /** How often the secret is in the process's memory. */
  function count() {
    const memory = openSync("/proc/self/mem");
    const piece = Buffer.allocUnsafeSlow(2 ** 20);
    let found = 0;
    for (const [, from, to] of readFileSync("/proc/self/maps", "latin1").matchAll(/^(\\w+)-(\\w+) rw/gm)) {
      const end = parseInt(to, 16);
      for (let at = parseInt(from, 16); at < end; at += piece.length - 15) {
        piece.fill(0);
        try {
          readSync(memory, piece, 0, Math.min(piece.length, end - at), at);
        } catch {
          break; // A reservation without pages.
        }
        found += occurrences(piece);
      }
    }
    return found;
  }`;

const values = {
  chainingValue: "chainingValue(new Uint8Array(1024), { key: under(0), offset: 1024 })",
  "a subtree hasher's value": 'new SubtreeHasher({ key: under(0), offset: 1024 }).update("abc").chainingValue()',
  "a group hasher's value":
    "new SubtreeGroupHasher({ key: under(0), group: 1024 }).update(new Uint8Array(3000)).chainingValue()",
  "a group hasher's value of one group":
    "new SubtreeGroupHasher({ key: under(0), group: 1024 }).update(new Uint8Array(30)).chainingValue()",
  mergeSubtrees:
    "mergeSubtrees(chainingValue(new Uint8Array(1024)), chainingValue(new Uint8Array(9), { offset: 1024 }))",
  "a collector's value": `(() => {
      const collector = new SubtreeCollector(2048, 1024, { offset: 2048, key: under(0) });
      for (const { offset } of collector.missing) {
        collector.set(offset, chainingValue(new Uint8Array(1024), { key: under(0), offset }));
      }
      return collector.chainingValue();
    })()`,
};

const uses = {
  ...Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      `
    const value = ${value};
    gc({ type: "minor" });
    lookFor(value);
    value.fill(0);
    for (let i = 0; i < 3; i++) gc();`,
    ]),
  ),
  "hashers that outlive a garbage collection": `
    const hasher = blake3.create({ key: secret }).update("a");
    const saved = save(hasher);
    const others = [hasher.clone(), restore(blake3, saved)];
    saved.fill(0);
    for (let i = 0; i < 3; i++) gc({ type: "minor" });
    for (const each of [hasher, ...others]) each.dispose();`,
  "a group hasher in its first group": `
    const hasher = new SubtreeGroupHasher({ group: 1024, key: secret }).update(new Uint8Array(500));
    hasher.chainingValue();
    hasher.dispose();`,
  "a group hasher with several groups": `
    const hasher = new SubtreeGroupHasher({ group: 1024, key: secret }).update(new Uint8Array(3000));
    hasher.groupValues();
    hasher.dispose();`,
  "a subtree hasher": `
    const hasher = new SubtreeHasher({ key: secret }).update(new Uint8Array(3000));
    hasher.chainingValue();
    hasher.dispose();`,
  "a collector's key": `
    const collector = new SubtreeCollector(4096, 1024, { key: secret });
    for (const { offset } of collector.missing) {
      collector.set(offset, chainingValue(new Uint8Array(1024), { offset, key: secret }));
    }
    collector.digest();
    collector.save().fill(0);
    collector.dispose();`,
  "a collector's values": `
    const collector = new SubtreeCollector(2048, 1024);
    for (const { offset } of collector.missing) collector.set(offset, secret);
    collector.digest();
    collector.save().fill(0);
    collector.dispose();`,
  "contexts at once, in hashers and in subtrees": `
    blake3("a", { context: secret });
    blake3.create({ context: secret }).dispose();
    chainingValue(new Uint8Array(1024), { offset: 1024, context: secret });
    new SubtreeCollector(4096, 1024, { context: secret }).dispose();`,
  "HMAC's key, and its two blocks": `
    for (const algorithm of [blake2s, blake2b, blake3].map(collecting)) {
      for (const pad of [0, 0x36, 0x5c]) {
        const key = under(pad);
        hmac(algorithm, key, "message");
        const mac = hmac.create(algorithm, key).update("a");
        mac.clone().update("b").dispose();
        mac.reset().dispose();
        key.fill(0);
      }
    }`,
  "HMAC's inner digest": `
    const block = new Uint8Array(new ArrayBuffer(4096), 0, 65).fill(0x36).fill(0x36 ^ 7, 0, 32);
    block[64] = 1;
    lookFor(blake2s.into(block, under(0)));
    hmac(collecting(blake2s), new Uint8Array(32).fill(7), Uint8Array.of(1));`,
  "HKDF's keys and blocks": `
    const material = new Uint8Array(new ArrayBuffer(4096), 0, 32).fill(9);
    for (const length of [32, 33, 64, 200]) {
      const output = hkdf(collecting(blake2s), material, { length });
      lookFor(output);
      output.fill(0);
      hkdf(collecting(blake2s), material, { length }).fill(0);
    }
    const key = hkdf.extract(collecting(blake2b), material);
    lookFor(key);
    hkdf(collecting(blake2b), material).fill(0);
    key.fill(0);`,
  "nobleHash, destroyed": `
    const hash = nobleHash(blake2b, { key: secret });
    hash.create().update(new Uint8Array(200)).destroy();
    hash(new Uint8Array(9));
    hash.destroy();`,
  "a pool of a worker": `
    const pool = new Blake3Pool({ threads: 1 });
    for (let i = 0; i < 4; i++) {
      await pool.hash(new Uint8Array(3_000_000), { key: secret });
      await pool.hash(new Uint8Array(3_000_000), { context: secret });
    }
    await pool.close();`,
  "a pool without workers": `
    const pool = new Blake3Pool({ threads: 0 });
    for (const source of [new Uint8Array(3_000_000), new Uint8Array(100), { path: "/proc/version" }, new Blob(["a"])]) {
      await pool.hash(source, { key: secret, onProgress() {} });
      await pool.hash(source, { context: secret, onProgress() {} });
      await pool.hash(source, { context: secret, length: -1 }).catch(() => {});
      await pool.hash(source, { context: secret, key: secret }).catch(() => {});
    }
    await pool.close();`,
};

it.runIf(process.platform === "linux").each(Object.entries(uses))("%s", (_, use) => {
  const code = `${prelude}
    {${use}}
    const before = count();
    secret.fill(0);
    console.log(JSON.stringify([before > 0, count()]));`;
  expect(runNode(code, { flags: ["--expose-gc"] })).toEqual([true, 0]);
});
