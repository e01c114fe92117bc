// The test body: what every runtime has to show, in standard JavaScript. It knows no runtime: a host gives it the
// package's entries and the suite, and takes the report away as JSON.

/** What is checked in each build, and once. Each is called with the modules, the suite, and whether to be brief. */
const IN_EACH_BUILD = { "one-shot": oneShot, incremental, streams, "verified streams": verifiedStreams };
const ONCE = {
  "async context": asyncContext,
  "Node's streams": ({ main, checkNodeStreams }) => checkNodeStreams?.(main),
  memory: (modules, _, brief) => !brief && modules.checkMemory?.(modules),
};

const counting = (length) => new Uint8Array(length).map((_, i) => i % 251);

/**
 * @param modules what entries.mjs exports; also checkNodeStreams and checkMemory where Node's modules are
 * @param brief whether a part of the cases is enough, as on an emulated processor
 * @returns for each check "ok" or what went wrong, the states that were saved here, and the threads of a pool of two
 */
export async function runBody(modules, brief = false) {
  const suite = brief ? { ...modules.suite, cases: fewer(modules.suite) } : modules.suite;
  const report = { checks: {}, backends: backendsHere(modules.main), states: [], threads: 0 };
  const check = async (name, body) => {
    try {
      await body(modules, suite, brief);
      report.checks[name] = "ok";
    } catch (error) {
      report.checks[name] = `${error?.name}: ${error?.message}`;
    }
  };
  for (const [name, body] of Object.entries(IN_EACH_BUILD)) {
    await check(name, async (...given) => {
      for (const backend of report.backends) {
        modules.main.useBackend(backend);
        for (const latency of backend === "simd128" ? [1, 2] : [1]) {
          modules.main.useVectorLatency(latency);
          await body(...given);
        }
      }
    });
  }
  for (const [name, body] of Object.entries(ONCE)) await check(name, body);
  await check("states", () => {
    for (const state of suite.states) restore(modules, state);
    report.states = suite.states.map(({ algorithm }) => save(modules, suite, algorithm));
  });
  await check("threads", async () => {
    report.threads = await threads(modules, suite);
  });
  return report;
}

function backendsHere({ useBackend }) {
  try {
    useBackend("simd128");
    return ["baseline", "simd128"];
  } catch {
    return ["baseline"];
  }
}

export function same(what, actual, expected) {
  if (actual !== expected) throw new Error(`${what}: got ${actual}, expected ${expected}`);
}

/** Options come as JSON: bytes in hex, big numbers in decimal. */
function optionsOf({ fromHex }, options) {
  const revived = { ...options };
  for (const name of ["key", "salt", "personal"]) if (name in revived) revived[name] = fromHex(revived[name]);
  if ("nodeOffset" in revived) revived.nodeOffset = BigInt(revived.nodeOffset);
  return revived;
}

export function oneShot({ main }, { cases }) {
  for (const { algorithm, input, options, digest } of cases) {
    const [hash, message, given] = [main.algorithms[algorithm], counting(input), optionsOf(main, options)];
    const many = hash.many(["a", message, "b", message], given);
    for (const found of [hash(message, given), many[1], many[3]])
      same(`${algorithm} of ${input} bytes`, main.toHex(found), digest);
  }
}

export function incremental({ main }, { cases }) {
  for (const { algorithm, input, options, digest } of cases) {
    const [hash, message] = [main.algorithms[algorithm], counting(input)];
    const [hasher, neighbour] = [hash.create(optionsOf(main, options)), hash.create()];
    const piece = Math.min(1000, Math.ceil(input / 5));
    for (let at = 0; at < input; at += piece) {
      hasher.update(message.subarray(at, at + piece));
      neighbour.update("x");
    }
    same(`${algorithm} of ${input} bytes in pieces`, hasher.digest("hex"), digest);
    hasher.dispose();
  }
}

/** A case without options, or with the length alone, which BLAKE2X's vectors all have. */
export const isPlain = ({ options = {} }) => Object.keys(options).every((name) => name === "length");

const lastPlain = ({ cases }, algorithm) => cases.findLast((entry) => entry.algorithm === algorithm && isPlain(entry));

const lastPlains = (suite) => suite.states.map(({ algorithm }) => lastPlain(suite, algorithm));

/** Every fourth case, and the longest plain one of each algorithm. */
function fewer(suite) {
  const kept = lastPlains(suite);
  return suite.cases.filter((entry, i) => i % 4 === 0 || kept.includes(entry));
}

async function streams({ main, streams: { HashStream, DigestStream, VerifyStream, digestOf } }, suite, brief) {
  const cases = brief ? lastPlains(suite) : suite.cases.filter(isPlain);
  for (const { algorithm, input, options, digest } of cases) {
    const source = () => readable(counting(input));
    const value = main.algorithms[algorithm];
    const hashing = new HashStream(value, options);
    const passed = await new Response(source().pipeThrough(hashing)).arrayBuffer();
    same(`${algorithm} HashStream passes`, passed.byteLength, input);
    const sink = new DigestStream(value, options);
    await source().pipeTo(sink);
    const verify = (expected) => collect(source().pipeThrough(new VerifyStream(value, expected, options)));
    await verify(digest);
    for (const found of [await hashing.digest, await sink.digest, await digestOf(value, source(), options)])
      same(`${algorithm} of a stream of ${input} bytes`, main.toHex(found), digest);
    const error = await verify(new Uint8Array(digest.length / 2)).catch((reason) => reason);
    same(`${algorithm} VerifyStream`, error?.name, "IntegrityError");
  }
  const blob = digestOf(main.blake3, new Blob([counting(suite.pool.input)]));
  // Where garbage can be collected on demand: a read under way has to outlive it.
  for (const milliseconds of [0, 1, 3]) setTimeout(() => globalThis.gc?.(), milliseconds);
  same("digestOf a blob", main.toHex(await blob), suite.pool.digest);
}

function readable(bytes) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + 10_000));
      at += 10_000;
    },
  });
}

/** All bytes of a stream. A Response would give an error of its own for the stream's. */
async function collect(stream) {
  const parts = [];
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) parts.push(read.value);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// States cross runtimes: each is taken in the middle of a message, and the one who restores it hashes the rest.
export function restore({ main, states }, { algorithm, state, rest, input, digest }) {
  const hasher = states.restore(main.algorithms[algorithm], main.fromHex(state));
  same(`${algorithm} saved again`, main.toHex(states.save(hasher)), state);
  hasher.update(counting(input).subarray(rest));
  same(`${algorithm} restored`, hasher.digest("hex"), digest);
}

export function save({ main, states }, suite, algorithm) {
  const { input, options, digest } = lastPlain(suite, algorithm);
  const rest = Math.floor(input / 3);
  const hasher = main.algorithms[algorithm].create(options);
  hasher.update(counting(input).subarray(0, rest));
  return { algorithm, state: main.toHex(states.save(hasher)), rest, input, digest };
}

async function threads({ main, parallel: { Blake3Pool } }, { pool: { input, digest } }) {
  const message = counting(input);
  const sources = { bytes: message, blob: new Blob([message]) };
  if (typeof SharedArrayBuffer === "function") {
    sources.shared = new Uint8Array(new SharedArrayBuffer(input));
    sources.shared.set(message);
  }
  const pool = new Blake3Pool({ threads: 2 });
  try {
    for (const [name, source] of Object.entries(sources))
      same(`pool, ${name}`, main.toHex(await pool.hash(source)), digest);
    return pool.threads;
  } finally {
    await pool.close();
  }
}

/** Where there is such a thing, a pool calls each caller's function under that caller's store. */
async function asyncContext({ parallel: { Blake3Pool } }, { pool: { input } }) {
  const { AsyncLocalStorage } = globalThis.process?.getBuiltinModule?.("node:async_hooks") ?? {};
  if (!AsyncLocalStorage) return;
  const storage = new AsyncLocalStorage();
  for (const threads of [0, 2]) {
    const pool = new Blake3Pool({ threads });
    const stores = (id) => pool.hash(counting(input), { onProgress: () => same("store", storage.getStore(), id) });
    await Promise.all(["a", "b", "c"].map((id) => storage.run(id, stores, id)));
    await pool.close();
  }
}

/** Encodings and outboards as the Rust crates have them, decoded here and there; and one bit that is wrong. */
async function verifiedStreams({ main, bao }, suite) {
  const { BaoDecodeStream, BaoEncodeStream, Outboard, VerifiedRangeStream } = bao;
  const { toHex, blake3 } = main;
  for (const { input, root, nodes, encoding, slice, response } of suite.bao) {
    const message = counting(input);
    const [fine, coarse] = [bao.outboard(message, { group: 1024 }), await bao.outboardOf(readable(message))];
    same("root", toHex(fine.root), root);
    same("root of a stream", toHex(coarse.root), root);
    same("outboard", blake3.hex(fine.toBytes("bao")), nodes);
    const range = { start: Math.floor(input / 3), end: Math.floor(input / 2) };
    const cases = [
      [fine, { format: "bao" }, encoding],
      [fine, { format: "bao", ...range }, slice],
      [coarse, { format: "iroh", ...range }, response],
    ];
    for (const [tree, options, digest] of cases) {
      const encoded = await collect(readable(message).pipeThrough(new BaoEncodeStream(tree, options)));
      same(`${options.format} of ${input} bytes`, blake3.hex(encoded), digest);
      const decode = () =>
        collect(readable(encoded).pipeThrough(new BaoDecodeStream(root, { ...options, group: tree.group })));
      same("decoded", toHex(await decode()), toHex(message.subarray(options.start ?? 0, options.end)));
      encoded[encoded.length - 1] ^= 1;
      same("a flipped bit", (await decode().catch((error) => error)).name, "IntegrityError");
    }
    const tree = Outboard.from(coarse.toBytes("iroh"), { root, length: input, format: "iroh" });
    tree.check();
    const { start, end, header } = bao.rangeOf(tree, range);
    const body = () => readable(message.subarray(start, end));
    const fetch = async (_url, init) => {
      same("Range", init.headers.Range, header);
      return new Response(body(), { status: 206, headers: { "Content-Range": `bytes ${start}-${end - 1}/${input}` } });
    };
    const fetched = await bao.fetchVerified("https://mirror.example/", { root, outboard: tree, ...range, fetch });
    for (const part of [body().pipeThrough(new VerifiedRangeStream(tree, range)), fetched])
      same("a range", toHex(await collect(part)), toHex(message.subarray(range.start, range.end)));
  }
}
