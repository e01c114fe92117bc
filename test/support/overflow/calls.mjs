// Every kind of call: how it is made, and what must hold after it, complete or not.
import { concat, fail, hexOf, same } from "./expectations.mjs";
import { LENGTHS, PENDING, part, SECRET, secretOptions, TEXT } from "./messages.mjs";

/** The hasher that the call is on. Of an interrupted one it has the message from before, which a reset may have wiped. */
function onHasher(what, name, options, { prefix = PENDING, call, after = prefix, checkValue, resets = false }) {
  return ({ algorithm, digest }) => {
    const hasher = algorithm.create(options).update(prefix);
    const before = digest(name, prefix, options);
    const done = digest(name, after, options);
    return {
      what,
      call: () => call(hasher),
      check({ value, error }) {
        if (!error && checkValue) checkValue(value, digest, options);
        const got = hasher.digest("hex");
        if (!error || !resets || got !== done) same(`${what}, the hasher inside`, got, error ? before : done);
        same(`${what}, reset`, hasher.reset().update(prefix).digest("hex"), before);
      },
      end: () => hasher.dispose(),
    };
  };
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

export function callsOf(name) {
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
      const into = ({ algorithm }) => algorithm.into(part(length), new Uint8Array(algorithm.digestLength), options);
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
    make("reset", { call: (hasher) => hasher.reset(), after: new Uint8Array(), resets: true }),
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
        if (!/was disposed/.test(thrown?.message)) fail("a hasher disposed of", thrown, "an error");
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
export function stateCalls(name, { save, restore }) {
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

export function hazmatCalls({
  chainingValue,
  mergeSubtrees,
  rootOf,
  rootXof,
  SubtreeCollector,
  SubtreeGroupHasher,
  SubtreeHasher,
}) {
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
  const grouped = () => new SubtreeGroupHasher({ ...mode, group: 1024 });
  const subtree = (what, act, make) => (world) => {
    const hasher = make().update(left);
    const [, second] = values();
    return {
      what,
      call: () => act(hasher),
      check({ value, error }) {
        if (!error && value !== hasher) same(what, hexOf(rootOf(value, second, mode)), wanted(world));
        const first = hasher.chainingValue();
        if (error || value !== hasher)
          same(`${what}, the hasher inside`, hexOf(rootOf(first, second, mode)), wanted(world));
      },
      end: () => hasher.dispose(),
    };
  };
  return [
    viaRoot("hazmat: chainingValue", ([, second]) => rootOf(chainingValue(left, mode), second, mode)),
    viaRoot("hazmat: rootOf", (pair) => rootOf(...pair, mode)),
    viaRoot("hazmat: rootXof", (pair) => rootXof(...pair, mode).read(32)),
    ...[() => new SubtreeHasher(mode), grouped].flatMap((make) => {
      const { name } = make().constructor;
      return [
        subtree(`hazmat: ${name}.chainingValue`, (hasher) => hasher.chainingValue(), make),
        // From the second byte: what waits after the update is not what waits before, although the message repeats itself.
        subtree(`hazmat: ${name}.update`, (hasher) => hasher.update(SECRET.subarray(1, 70_000)), make),
      ];
    }),
    (world) => {
      const collector = new SubtreeCollector(5000, 4096, { ...mode, group: 1024 });
      collector.set(0, values()[0], grouped().update(left).groupValues());
      const [, second] = values();
      const set = () => collector.set(4096, second, second);
      return {
        what: "hazmat: SubtreeCollector.set",
        call: set,
        check({ error }) {
          same("parts that are missing", [...collector.missing].length, error ? 1 : 0);
          same("hazmat: SubtreeCollector.set", hexOf(set().digest()), wanted(world));
        },
        end: () => collector.dispose(),
      };
    },
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

export function backendCall(name, { useBackend, backend }) {
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
export function hasBothBackends({ useBackend, backend }) {
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
