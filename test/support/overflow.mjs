// Stack overflows in the middle of calls, in standard JavaScript, so that every runtime can run it: each call of the package
// is made at the stack's end, some frames above it, and is either complete or throws. In both cases everything else has to
// be right afterwards: one-shots, the hasher that was interrupted, and the other objects.

const TOKEN = 16;

/** Bytes that repeat a token of 16, so that any copy of them in memory is found by it. */
function repeated(seed, length) {
  const token = Uint8Array.from({ length: TOKEN }, (_, i) => (seed + 37 * i + 11 * i * i) % 251);
  return Uint8Array.from({ length }, (_, i) => token[i % TOKEN]);
}

// The messages of the calls, and the keys: what may not stay in memory. ASCII, so that text has the same bytes.
const SECRET = repeated(3, 200_000).map((byte) => 33 + (byte % 90));
const TEXT = Array.from(SECRET, (byte) => String.fromCharCode(byte)).join("");
const KEY = repeated(101, 64);
// What the objects outside the call have hashed. It may stay.
const PENDING = Uint8Array.from({ length: 77 }, (_, i) => 255 - i);
const LONG_PENDING = Uint8Array.from({ length: 3000 }, (_, i) => (7 * i) % 253);

const LENGTHS = { short: 50, block: 128, area: 65_536, long: 200_000 };
const part = (length) => SECRET.subarray(0, length);

/** Algorithms that share a kernel, so that each is next to the others. */
const KERNELS = [
  ["blake224", "blake256"],
  ["blake384", "blake512"],
  ["blake2b", "blake2bp", "blake2xb"],
  ["blake2s", "blake2sp", "blake2xs"],
  ["blake3"],
];

/** Options with a secret, for each algorithm: a key, or a salt if there is none. */
export function secretOptions(name) {
  if (name === "blake3") return { key: KEY.subarray(0, 32) };
  if (/^blake2x?b/.test(name)) return { key: KEY.subarray(0, 64) };
  if (/^blake2x?s/.test(name)) return { key: KEY.subarray(0, 32) };
  return { salt: KEY.subarray(0, name === "blake224" || name === "blake256" ? 16 : 32) };
}

/** What may not be found in memory: the tokens, and their words as BLAKE has them, big-endian. */
export function secretTokens() {
  return [SECRET, KEY].flatMap((bytes) => {
    const token = bytes.slice(0, TOKEN);
    return [token, reversedWords(token, 4), reversedWords(token, 8)];
  });
}

function reversedWords(bytes, word) {
  const reversed = bytes.slice();
  for (let at = 0; at < bytes.length; at += word) reversed.subarray(at, at + word).reverse();
  return reversed;
}

// ---- the end of the stack ----

const PADDINGS = Array.from({ length: 12 }, (_, count) => new Array(count).fill(0));

/**
 * Fills the stack, goes `levels` frames up again, and calls there with `padding` words more on the stack. Returns how the
 * call ended: `{ value }` or `{ error }`.
 */
export function callNearStackEnd(levels, padding, call) {
  const arguments_ = PADDINGS[padding % PADDINGS.length];
  let left = levels;
  let outcome;
  function act() {
    try {
      outcome = { value: call() };
    } catch (error) {
      outcome = { error };
    }
  }
  function descend() {
    try {
      descend();
    } catch {
      // Full: from here on upwards.
    }
    // If not even this fits, the next frame makes the call.
    if (left-- <= 0 && !outcome) act(...arguments_);
  }
  descend();
  return outcome;
}

/** Numbers that look random and are the same in each run. */
export function numbersFrom(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

// ---- what is right ----

function hexOf(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function concat(...pieces) {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function fail(what, got, wanted) {
  throw new Error(`${what}: got ${got}, expected ${wanted}`);
}

function same(what, got, wanted) {
  if (got !== wanted) fail(what, got, wanted);
}

/** Objects of all algorithms of one kernel: some hold what they need in the kernel's memory, some in their own. */
class Neighbours {
  constructor(main, names, digest) {
    this.digest = digest;
    this.hashers = names.flatMap((name) => [
      { name, hasher: main.algorithms[name].create(), pending: PENDING },
      {
        name,
        hasher: main.algorithms[name].create(plainSecret(name)),
        options: plainSecret(name),
        pending: LONG_PENDING,
      },
    ]);
    this.readers = names
      .filter((name) => name === "blake3" || name.startsWith("blake2x"))
      .map((name) => ({ name, reader: main.algorithms[name].create({ length: 300 }).update(PENDING).xof() }));
  }

  /** One of them becomes the resident hasher, with bytes that no state has absorbed; the others move out. */
  prepare(index) {
    for (let i = 1; i <= this.hashers.length; i++) {
      const { hasher, pending } = this.hashers[(index + i) % this.hashers.length];
      hasher.reset().update(pending);
    }
  }

  check() {
    for (const { name, hasher, options, pending } of this.hashers) {
      same(`a ${name} hasher beside it`, hasher.digest("hex"), this.digest(name, pending, options));
    }
    for (const { name, reader } of this.readers) {
      reader.position = 0;
      same(`a ${name} reader beside it`, hexOf(reader.read(300)), this.digest(name, PENDING, { length: 300 }));
    }
  }
}

/** A key that the calls do not have: it may be found in memory. */
function plainSecret(name) {
  const [[option, value]] = Object.entries(secretOptions(name));
  return { [option]: value.map((byte) => byte ^ 255) };
}

// ---- the calls ----

/** The hasher that the call is on, and the digests that it may have afterwards. */
function onHasher(what, name, options, { prefix = PENDING, call, after = prefix, checkValue }) {
  return ({ algorithm, digest }) => {
    const hasher = algorithm.create(options).update(prefix);
    const before = digest(name, prefix, options);
    const done = digest(name, after, options);
    return {
      what,
      call: () => call(hasher),
      check({ value, error }) {
        if (!error && checkValue) checkValue(value, digest, options);
        checkInside(what, hasher, error ? [before, done] : [done]);
        same(`${what}, reset`, hasher.reset().update(prefix).digest("hex"), before);
      },
      end: () => hasher.dispose(),
    };
  };
}

function checkInside(what, hasher, allowed) {
  let got;
  try {
    got = hasher.digest("hex");
  } catch (error) {
    if (!/lost its state in an interrupted call/.test(error.message) || allowed.length === 1) throw error;
    return;
  }
  if (!allowed.includes(got)) fail(`${what}, the hasher inside`, got, allowed.join(" or "));
}

/** A call that gives bytes, or a list of them, and has no hasher. */
function plain(what, call, wanted) {
  return (world) => ({
    what,
    call: () => call(world),
    check({ value, error }) {
      if (error) return;
      const expected = wanted(world);
      if (!Array.isArray(expected)) return same(what, hexOf(value), expected);
      same(what, value.map(hexOf).join(), expected.join());
    },
  });
}

const ONE_SHOTS = [LENGTHS.short, LENGTHS.area, LENGTHS.long];
const MANY = [50, 1000, 0, 64, 128, 129, 700, 1024, 50, 60, 3000, 1025, 500, 64, 65, 1, 900, 800, 70_000];

function callsOf(name) {
  const secret = secretOptions(name);
  const extendable = name === "blake3" || name.startsWith("blake2x");
  const calls = [];
  for (const options of [undefined, secret]) {
    const mode = options ? `${name} with a secret` : name;
    for (const length of ONE_SHOTS) {
      const wanted = ({ digest }) => digest(name, part(length), options);
      calls.push(plain(`${mode}: ${length} bytes`, ({ algorithm }) => algorithm(part(length), options), wanted));
      const text = TEXT.slice(0, length);
      calls.push(plain(`${mode}: text of ${length} bytes`, ({ algorithm }) => algorithm(text, options), wanted));
      const into = ({ algorithm }) => algorithm.into(new Uint8Array(algorithm.digestLength), part(length), options);
      calls.push(plain(`${mode}: into, ${length} bytes`, into, wanted));
      for (const input of [part(length), text]) {
        const what = `${mode}: update of ${length} ${typeof input === "string" ? "characters" : "bytes"}`;
        const after = concat(PENDING, part(length));
        calls.push(onHasher(what, name, options, { call: (hasher) => hasher.update(input), after }));
      }
      const prefix = part(length);
      calls.push(...onLength(name, mode, options, prefix));
    }
    const many = ({ algorithm }) => algorithm.many(MANY.map(part), options);
    calls.push(plain(`${mode}: many`, many, ({ digest }) => MANY.map((length) => digest(name, part(length), options))));
    calls.push(createCall(name, mode, options));
  }
  const prefix = part(65_530);
  const after = concat(prefix, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
  const typed = (hasher) => hasher.updateUint64LE(0x0807060504030201n);
  calls.push(onHasher(`${name}: updateUint64LE`, name, secret, { prefix, call: typed, after }));
  if (extendable) calls.push(...extendableCalls(name));
  return calls;
}

function onLength(name, mode, options, prefix) {
  const checkDigest = (value, digest, options) => same(`${mode}: digest`, hexOf(value), digest(name, prefix, options));
  const make = (what, rest) =>
    onHasher(`${mode}: ${what} after ${prefix.length} bytes`, name, options, { prefix, ...rest });
  return [
    make("digest", { call: (hasher) => hasher.digest(), checkValue: checkDigest }),
    make("digestInto", {
      call: (hasher) => hasher.digestInto(new Uint8Array(hasher.digestLength)),
      checkValue: checkDigest,
    }),
    make("clone", {
      call: (hasher) => hasher.clone(),
      checkValue(clone, digest, options) {
        checkDigest(clone.digest(), digest, options);
        clone.dispose();
      },
    }),
    make("reset", { call: (hasher) => hasher.reset(), after: new Uint8Array() }),
    disposeCall(mode, options, prefix),
  ];
}

/** A hasher whose disposal was interrupted can be disposed of again. */
function disposeCall(mode, options, prefix) {
  return ({ algorithm }) => {
    const hasher = algorithm.create(options).update(prefix);
    return {
      what: `${mode}: dispose after ${prefix.length} bytes`,
      call: () => hasher.dispose(),
      check({ error }) {
        if (error) hasher.dispose();
        let thrown;
        try {
          hasher.digest();
        } catch (error) {
          thrown = error;
        }
        if (!/disposed of/.test(thrown?.message)) fail("a hasher disposed of", thrown, "an error");
      },
    };
  };
}

function createCall(name, mode, options) {
  return ({ algorithm, digest }) => ({
    what: `${mode}: create`,
    call: () => algorithm.create(options),
    check({ value, error }) {
      if (error) return;
      same(`${mode}: create`, value.update(part(50)).digest("hex"), digest(name, part(50), options));
      value.dispose();
    },
  });
}

const READ = 20_000;

function extendableCalls(name) {
  const options = { ...secretOptions(name), length: READ };
  const checkReader = (reader, digest, options) => {
    same(`${name}: xof`, hexOf(reader.read(READ)), digest(name, part(50), options));
    reader.dispose();
  };
  const reading = (what, read) => (world) => {
    const reader = world.algorithm.create(options).update(part(50)).xof();
    const wanted = world.digest(name, part(50), options);
    return {
      what: `${name}: ${what}`,
      call: () => read(reader),
      check({ value, error }) {
        if (!error) same(`${name}: ${what}`, hexOf(value), wanted);
        if (error) same(`${name}: position after an interrupted ${what}`, reader.position, 0n);
        reader.position = 0;
        same(`${name}: ${what}, again`, hexOf(reader.read(READ)), wanted);
      },
      end: () => reader.dispose(),
    };
  };
  return [
    onHasher(`${name}: xof`, name, options, {
      prefix: part(50),
      call: (hasher) => hasher.xof(),
      checkValue: checkReader,
    }),
    plain(
      `${name}: ${READ} bytes of output`,
      ({ algorithm }) => algorithm(part(50), options),
      ({ digest }) => digest(name, part(50), options),
    ),
    reading("read", (reader) => reader.read(READ)),
    reading("readInto", (reader) => reader.readInto(new Uint8Array(READ))),
  ];
}

/** A hasher is saved, and made again of what was saved. */
function stateCalls(name, { save, restore }) {
  return [undefined, secretOptions(name)].flatMap((options) => {
    const mode = options ? `${name} with a secret` : name;
    return ONE_SHOTS.flatMap((length) => {
      const prefix = part(length);
      const check = (algorithm) => (saved, digest) => {
        const restored = restore(algorithm, saved);
        same(`${mode}: restore`, restored.digest("hex"), digest(name, prefix, options));
        restored.dispose();
      };
      const saving = (world) => {
        const rest = { prefix, call: save, checkValue: check(world.algorithm) };
        return onHasher(`${mode}: save after ${length} bytes`, name, options, rest)(world);
      };
      const restoring = ({ algorithm, digest }) => {
        const hasher = algorithm.create(options).update(prefix);
        const saved = save(hasher);
        hasher.dispose();
        return {
          what: `${mode}: restore after ${length} bytes`,
          call: () => restore(algorithm, saved),
          check({ value, error }) {
            if (!error) same(`${mode}: restored`, value.digest("hex"), digest(name, prefix, options));
            value?.dispose();
            check(algorithm)(saved, digest);
          },
        };
      };
      return [saving, restoring];
    });
  });
}

function hazmatCalls({ chainingValue, mergeSubtrees, rootOf, rootXof, SubtreeHasher }) {
  const mode = secretOptions("blake3");
  const [left, right] = [part(4096), SECRET.slice(4096, 5000)];
  const values = () => [chainingValue(left, mode), chainingValue(right, { ...mode, offset: 4096 })];
  const wanted = ({ digest }) => digest("blake3", part(5000), mode);
  const viaRoot = (what, make) => (world) => {
    const pair = values();
    return {
      what,
      call: () => make(pair),
      check: ({ value, error }) => {
        if (!error) same(what, hexOf(value), wanted(world));
        same(`${what}, again`, hexOf(rootOf(...pair, mode)), wanted(world));
      },
    };
  };
  const subtree = (what, act) => (world) => {
    const hasher = new SubtreeHasher(mode).update(left);
    const [, second] = values();
    return {
      what,
      call: () => act(hasher),
      check({ value, error }) {
        if (!error && value !== hasher) same(what, hexOf(rootOf(value, second, mode)), wanted(world));
        let first;
        try {
          first = hasher.chainingValue();
        } catch (thrown) {
          if (!error || !/lost its state in an interrupted call/.test(thrown.message)) throw thrown;
          return;
        }
        if (hasher.bytesHashed === 4096n)
          same(`${what}, the hasher inside`, hexOf(rootOf(first, second, mode)), wanted(world));
      },
      end: () => hasher.dispose(),
    };
  };
  return [
    viaRoot("hazmat: chainingValue", ([, second]) => rootOf(chainingValue(left, mode), second, mode)),
    viaRoot("hazmat: rootOf", (pair) => rootOf(...pair, mode)),
    viaRoot("hazmat: rootXof", (pair) => rootXof(...pair, mode).read(32)),
    subtree("hazmat: SubtreeHasher.chainingValue", (hasher) => hasher.chainingValue()),
    subtree("hazmat: SubtreeHasher.update", (hasher) => hasher.update(part(70_000))),
    (world) => {
      const quarters = [0, 1, 2, 3].map((i) =>
        chainingValue(SECRET.slice(1024 * i, 1024 * (i + 1)), { ...mode, offset: 1024 * i }),
      );
      return {
        what: "hazmat: mergeSubtrees",
        call: () => mergeSubtrees(quarters[0], quarters[1], mode),
        check({ value, error }) {
          if (error) return;
          const rest = mergeSubtrees(quarters[2], quarters[3], mode);
          same("hazmat: mergeSubtrees", hexOf(rootOf(value, rest, mode)), world.digest("blake3", part(4096), mode));
        },
      };
    },
  ];
}

function backendCall(name, { useBackend, backend }) {
  return ({ algorithm, digest }) => {
    const before = backend();
    const other = before === "baseline" ? "simd128" : "baseline";
    return {
      what: `${name}: useBackend`,
      call: () => useBackend(other),
      check({ error }) {
        if (!error) same("backend", backend(), other);
        same(`${name} after useBackend`, hexOf(algorithm(part(50))), digest(name, part(50)));
        useBackend(before);
      },
    };
  };
}

/** Whether the engine has both builds: only then is there anything to change. */
function hasBothBackends({ useBackend, backend }) {
  const before = backend();
  try {
    useBackend("simd128");
    return true;
  } catch {
    return false;
  } finally {
    useBackend(before);
  }
}

// ---- the run ----

/** Every kind of call of one algorithm, each to be interrupted, and what has to be right afterwards. */
export class Interruptions {
  #world;
  #calls;
  #neighbours;

  /**
   * @param modules { main } and, for their calls, { hazmat, states }
   * @param name the algorithm's
   * @param digest (name, message, options) -> hex, an independent one if there is, by default what the package gives now
   */
  constructor({ main, hazmat, states }, name, digest) {
    const known = new Map();
    const digestOf = (algorithm, message, options) => {
      const id = [algorithm, message.length, message[0], Object.keys(options ?? {}), options?.length].join();
      const hash = digest ?? (() => hexOf(main.algorithms[algorithm](message, options)));
      if (!known.has(id)) known.set(id, hash(algorithm, message, options));
      return known.get(id);
    };
    this.name = name;
    this.#world = { algorithm: main.algorithms[name], digest: digestOf };
    this.#calls = callsOf(name);
    if (states) this.#calls.push(...stateCalls(name, states));
    if (name === "blake3" && hazmat) this.#calls.push(...hazmatCalls(hazmat));
    if (hasBothBackends(main)) this.#calls.push(backendCall(name, main));
    const names = (KERNELS.find((list) => list.includes(name)) ?? [name]).filter((each) => main.algorithms[each]);
    this.#neighbours = new Neighbours(main, names, digestOf);
    // Every expected digest is known before anything goes wrong.
    for (const make of this.#calls) runCalmly(make(this.#world));
    this.#neighbours.prepare(0);
    this.#checkRest();
  }

  /** How many calls there are. */
  get count() {
    return this.#calls.length;
  }

  /** How many hashers there are beside a call's own. */
  get neighbours() {
    return this.#neighbours.hashers.length;
  }

  /**
   * Makes a call, and checks everything after it.
   *
   * @param index which call
   * @param beside which of the neighbours is the resident hasher then; with none it is the call's own, if it has one
   * @param make makes the call and returns how it ended: { value } or { error }
   * @param where what an error's message begins with, after the call's name
   * @returns the call's name, and how it ended
   */
  run(index, beside, make, where) {
    this.#neighbours.prepare(beside ?? 0);
    const attempt = this.#calls[index](this.#world);
    if (beside !== undefined) this.#neighbours.prepare(beside);
    const outcome = make(attempt.call);
    try {
      this.#checkRest();
      attempt.check(outcome);
      this.#checkRest();
    } catch (error) {
      const cause = outcome.error ? `which ended by ${outcome.error}` : "which was complete";
      throw new Error(`${attempt.what}, ${where}, ${cause}: ${error.message}`, { cause: error });
    }
    attempt.end?.();
    return { what: attempt.what, ...outcome };
  }

  #checkRest() {
    const { algorithm, digest } = this.#world;
    same("a one-shot after it", hexOf(algorithm(PENDING)), digest(this.name, PENDING));
    this.#neighbours.check();
  }
}

/**
 * Makes calls of one algorithm near the stack's end until `overflows` of them have thrown, and checks everything after each.
 *
 * @param modules { main } and, for their calls, { hazmat, states }
 * @param options name: the algorithm; overflows: how many; seed: of the depths; digest: (name, message, options) -> hex, an
 *   independent one if there is, by default what the package gives at the beginning; inspect: is called after each overflow
 *   and the calls after it, when no secret may be in memory any more
 * @returns how many calls were complete and how many were interrupted, by call
 */
export function runOverflows(modules, { name, overflows, seed = 1, digest, inspect = () => {} }) {
  const interruptions = new Interruptions(modules, name, digest);
  const { count, neighbours } = interruptions;
  const report = { complete: 0, interrupted: 0, calls: {} };
  const number = numbersFrom(seed);
  // From this many frames above the end on, a call is complete; found as calls are made.
  const enough = new Array(count).fill(64);
  const most = 60 * overflows + 100 * count;
  for (let trial = 0; report.interrupted < overflows; trial++) {
    if (trial > most)
      throw new Error(`${name}: ${most} calls near the stack's end, but ${report.interrupted} overflows`);
    const index = trial % count;
    const beside = number(neighbours + 1);
    const levels = number(enough[index]);
    const near = (call) => callNearStackEnd(levels, number(PADDINGS.length), call);
    const where = `${levels} frames above the stack's end`;
    const { what, error } = interruptions.run(index, beside < neighbours ? beside : undefined, near, where);
    report[error ? "interrupted" : "complete"]++;
    if (!error) continue;
    enough[index] = Math.max(enough[index], Math.ceil(1.2 * levels) + 8);
    report.calls[what] = (report.calls[what] ?? 0) + 1;
    inspect(what, error);
  }
  return report;
}

function runCalmly(attempt) {
  attempt.check({ value: attempt.call() });
  attempt.end?.();
}

/** The same for a pool's hashes, whose promises settle later. */
export async function runPoolOverflows({ main, parallel: { Blake3Pool } }, { overflows, seed = 1, digest }) {
  const inputs = [50, 70_000, 1_000_000].map((length) => repeated(5, length));
  const wanted = inputs.map((input) => (digest ?? ((_, message) => hexOf(main.blake3(message))))("blake3", input));
  const number = numbersFrom(seed);
  const pool = new Blake3Pool({ threads: 0 });
  let interrupted = 0;
  let enough = 64;
  try {
    for (let trial = 0; interrupted < overflows; trial++) {
      if (trial > 100 * overflows + 100) throw new Error(`the pool's hashes met ${interrupted} overflows`);
      const index = trial % inputs.length;
      const levels = number(enough);
      const outcome = callNearStackEnd(levels, number(PADDINGS.length), () => pool.hash(inputs[index]));
      const settled = await Promise.resolve(outcome.value).then(
        (value) => ({ value }),
        (error) => ({ error }),
      );
      const error = outcome.error ?? settled.error;
      if (error) {
        interrupted++;
        enough = Math.max(enough, Math.ceil(1.2 * levels) + 8);
      } else {
        same("a pool's hash near the stack's end", hexOf(settled.value), wanted[index]);
      }
      same("a pool's hash after it", hexOf(await pool.hash(inputs[index])), wanted[index]);
    }
  } finally {
    await pool.close();
  }
  return { interrupted };
}
