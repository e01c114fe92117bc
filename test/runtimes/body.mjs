// The test body: what every runtime has to show, in standard JavaScript. It knows no runtime; a host gives it the package's
// modules and the suite, and takes the report away as JSON.

// Stack overflows that are caught, in each algorithm and build, and in the pool.
const OVERFLOWS = 20;
const POOL_OVERFLOWS = 20;

const counting = (length) => new Uint8Array(length).map((_, i) => i % 251);

/**
 * @param modules the package's namespaces: { main, hazmat, streams, parallel, states, bao }, and overflow.mjs; also
 *   checkNodeStreams where Node's modules are
 * @param whole what suite.mjs makes: cases of every algorithm, and states that another runtime has saved
 * @param brief whether a part of the cases, and one overflow of each algorithm, are enough, as on an emulated processor
 * @returns for each check "ok" or what went wrong, and the states that were saved here
 */
export async function runBody(modules, whole, brief = false) {
  const suite = brief ? { ...whole, cases: fewer(whole) } : whole;
  const report = { checks: {}, backends: [], states: [], threads: 0 };
  const check = async (name, body) => {
    try {
      await body();
      report.checks[name] = "ok";
    } catch (error) {
      report.checks[name] = `${error?.name}: ${error?.message}`;
    }
  };
  report.backends = backendsHere(modules.main);
  await check("one-shot", () => onEach(modules.main, report.backends, () => oneShot(modules.main, suite)));
  await check("incremental", () => onEach(modules.main, report.backends, () => incremental(modules.main, suite)));
  await check("streams", () => onEach(modules.main, report.backends, () => streams(modules, suite, brief)));
  if (modules.checkNodeStreams) await check("Node's streams", () => modules.checkNodeStreams(modules.main));
  await check("states", async () => {
    for (const state of suite.states) restore(modules, state);
    report.states = suite.states.map(({ algorithm }) => save(modules, suite, algorithm));
  });
  await check("overflows", () =>
    onEach(modules.main, report.backends, () => overflows(modules, brief ? 1 : OVERFLOWS)),
  );
  await check("pool overflows", () =>
    modules.overflow.runPoolOverflows(modules, { overflows: brief ? 1 : POOL_OVERFLOWS }),
  );
  await check("verified streams", () => onEach(modules.main, report.backends, () => verifiedStreams(modules, suite)));
  await check("threads", async () => {
    report.threads = await threads(modules, suite);
  });
  return report;
}

function backendsHere({ useBackend }) {
  try {
    useBackend("simd128");
    return ["simd128", "baseline"];
  } catch {
    return ["baseline"];
  }
}

async function onEach({ useBackend }, backends, body) {
  for (const backend of [...backends].reverse()) {
    useBackend(backend);
    await body();
  }
}

function same(what, actual, expected) {
  if (actual !== expected) throw new Error(`${what}: got ${actual}, expected ${expected}`);
}

/** Options come as JSON: bytes in hex, big numbers in decimal. */
function optionsOf({ fromHex }, options) {
  const revived = { ...options };
  for (const name of ["key", "salt", "personal"]) if (name in revived) revived[name] = fromHex(revived[name]);
  if ("nodeOffset" in revived) revived.nodeOffset = BigInt(revived.nodeOffset);
  return revived;
}

function oneShot(main, suite) {
  for (const { algorithm, input, options, digest } of suite.cases) {
    const [message, given] = [counting(input), options && optionsOf(main, options)];
    same(`${algorithm} of ${input} bytes`, main.toHex(main.algorithms[algorithm](message, given)), digest);
    const many = main.algorithms[algorithm].many(["a", message, "b", message], given);
    same(`${algorithm}.many of ${input} bytes`, main.toHex(many[1]), digest);
    same(`${algorithm}.many of ${input} bytes, again`, main.toHex(many[3]), digest);
  }
}

function incremental(main, suite) {
  for (const { algorithm, input, options, digest } of suite.cases) {
    const hasher = main.algorithms[algorithm].create(options && optionsOf(main, options));
    const message = counting(input);
    for (let at = 0; at < input; at += 1000) hasher.update(message.subarray(at, at + 1000));
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
    same(`${algorithm} HashStream`, main.toHex(await hashing.digest), digest);
    const sink = new DigestStream(value, options);
    await source().pipeTo(sink);
    same(`${algorithm} DigestStream`, main.toHex(await sink.digest), digest);
    same(`${algorithm} digestOf`, main.toHex(await digestOf(value, source(), options)), digest);
    await source()
      .pipeThrough(new VerifyStream(value, digest, options))
      .pipeTo(new WritableStream());
    const refused = source().pipeThrough(new VerifyStream(value, new Uint8Array(digest.length / 2), options));
    const error = await refused.pipeTo(new WritableStream()).catch((reason) => reason);
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

// States cross runtimes: each is taken in the middle of a message, and the one who restores it hashes the rest.
function restore({ main, states }, { algorithm, state, rest, input, digest }) {
  const hasher = states.restore(main.algorithms[algorithm], main.fromHex(state));
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

function overflows(modules, count) {
  for (const name of Object.keys(modules.main.algorithms))
    modules.overflow.runOverflows(modules, { name, overflows: count });
}

async function threads({ main, parallel: { Blake3Pool } }, suite) {
  const message = counting(suite.pool.input);
  const pool = new Blake3Pool({ threads: 2 });
  try {
    same("pool, bytes", main.toHex(await pool.hash(message)), suite.pool.digest);
    if (typeof SharedArrayBuffer === "function") {
      const shared = new Uint8Array(new SharedArrayBuffer(message.length));
      shared.set(message);
      same("pool, shared", main.toHex(await pool.hash(shared)), suite.pool.digest);
    }
    same("pool, blob", main.toHex(await pool.hash(new Blob([message]))), suite.pool.digest);
    return pool.threads;
  } finally {
    await pool.close();
  }
}

/** Encodings and outboards as the Rust crates have them, decoded here and there; and one bit that is wrong. */
async function verifiedStreams({ main, bao }, suite) {
  const {
    BaoDecodeStream,
    BaoEncodeStream,
    Outboard,
    VerifiedRangeStream,
    fetchVerified,
    outboard,
    outboardOf,
    rangeOf,
  } = bao;
  for (const { input, root, nodes, encoding, slice, response } of suite.bao) {
    const message = counting(input);
    const [fine, coarse] = [outboard(message, { group: 1024 }), await outboardOf(readable(message))];
    same("root", main.toHex(fine.root), root);
    same("root of a stream", main.toHex(coarse.root), root);
    same("outboard", main.toHex(main.blake3(fine.toBytes("bao"))), nodes);
    const range = { start: Math.floor(input / 3), end: Math.floor(input / 2) };
    const cases = [
      [fine, { format: "bao" }, encoding],
      [fine, { format: "bao", ...range }, slice],
      [coarse, { format: "iroh", ...range }, response],
    ];
    for (const [tree, options, digest] of cases) {
      const encoded = await collect(readable(message).pipeThrough(new BaoEncodeStream(tree, options)));
      same(`${options.format} of ${input} bytes`, main.toHex(main.blake3(encoded)), digest);
      const decoder = new BaoDecodeStream(root, { ...options, group: tree.group });
      const wanted = message.subarray(options.start ?? 0, options.end);
      same("decoded", main.toHex(await collect(readable(encoded).pipeThrough(decoder))), main.toHex(wanted));
      encoded[encoded.length - 1] ^= 1;
      const wrong = readable(encoded).pipeThrough(new BaoDecodeStream(root, { ...options, group: tree.group }));
      same("a flipped bit", (await collect(wrong).catch((error) => error)).name, "IntegrityError");
    }
    const tree = Outboard.from(coarse.toBytes("iroh"), { root, length: input, format: "iroh" });
    tree.check();
    const { start, end, header } = rangeOf(tree, range);
    const body = () => readable(message.subarray(start, end));
    const right = main.toHex(message.subarray(range.start, range.end));
    same("a range", main.toHex(await collect(body().pipeThrough(new VerifiedRangeStream(tree, range)))), right);
    const fetch = async (_url, init) => {
      same("Range", init.headers.Range, header);
      return new Response(body(), { status: 206, headers: { "Content-Range": `bytes ${start}-${end - 1}/${input}` } });
    };
    const fetched = await fetchVerified("https://mirror.example/", { root, outboard: tree, ...range, fetch });
    same("a fetched range", main.toHex(await collect(fetched)), right);
  }
}

/** All bytes of a stream. A Response would give an error of its own for the stream's. */
async function collect(stream) {
  const parts = [];
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) parts.push(read.value);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
