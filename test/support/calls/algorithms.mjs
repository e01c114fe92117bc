// Test cases for each method of an algorithm, its hashers, readers and saved states, plain and under each option.
import { AREA, bytesFor, calls, concat, HEAD, method, ofHex, row } from "./row.mjs";

const LENGTHS = [100, AREA, 150_000];
const READ = 20_000;
const UNCHANGED = Array.from({ length: 9 }, (_, i) => bytesFor(`unchanged ${i}`, 900 + 13 * i));

/** Messages around one that changes: before it there is one for each lane. */
const between = (message) => [...UNCHANGED.slice(0, 5), message, ...UNCHANGED.slice(5)];

/** The lengths of the options' bytes that a call is made under. */
export function optionsOf(name) {
  const word = /^blake(2x?b|384|512)/.test(name) ? 8 : 4;
  if (name === "blake3") return [{}, { key: 32 }, { context: 45 }];
  if (/^blake2.p$/.test(name)) return [{}, { key: 4 * word }];
  if (/^blake2[bsx]/.test(name)) return [{}, { key: 4 * word, salt: 2 * word, personal: 2 * word }];
  return [{}, { salt: 4 * word }];
}

export const secretsOf = (name) => ["key", "context"].filter((each) => optionsOf(name).some((own) => each in own));

/** A message's bytes as ASCII. */
const asciiOf = (bytes) => bytes.map((byte) => byte & 127);

/** @param make returns the bytes of an array by its name and length; `messages` are the lengths of messages */
export function algorithmCalls(library, name, make = bytesFor, messages = LENGTHS) {
  const known = new Map();
  const fill = (each, length) => {
    const id = `${each} ${length}`;
    if (!known.has(id)) known.set(id, make(each, length));
    return known.get(id);
  };
  return optionsOf(name).flatMap((lengths, mode) => [
    // Longer messages take other code paths, which are the same under any options.
    ...messages.slice(0, mode < 2 ? 3 : 1).flatMap((length) => callsOn(library, name, lengths, length, fill)),
    ...callsOnce(library, name, lengths, fill),
    ...(mode === 0 && library.typed ? typedCalls(library, name) : []),
  ]);
}

/** What the rows of one algorithm under some options have in common. */
function common({ main }, name, lengths, fill) {
  const algorithm = main.algorithms[name];
  const names = Object.keys(lengths);
  const pick = (a) => Object.fromEntries(names.map((each) => [each, a[each]]));
  const given = (a, code) => (names.length > 0 ? [code.options(pick(a))] : []);
  const filled = (own) => Object.fromEntries(Object.entries(own).map(([each, length]) => [each, fill(each, length)]));
  const hashed = (a, oracle, ...pieces) => oracle.digest(name, concat(...pieces), pick(a));
  const secrets = secretsOf(name);
  const under = names.length > 0 ? ` under ${names.join(", ")}` : "";
  return {
    algorithm,
    given,
    hashed,
    create: (a, code) => algorithm.create(...given(a, code)),
    /** A call whose last argument has the options. */
    optional(call, how, own, rest) {
      const most = rest.args({}, { options: () => ({}), list: () => [] }).length + (names.length > 0 ? 0 : 1);
      const more = { most, optionsAt: most - 1, secrets, via: `${name}.create` };
      return row(call, { of: name, how: how + under, arrays: filled({ ...own, ...lengths }), ...more, ...rest });
    },
    /** A call of a hasher that has a message, and goes on after it. */
    onHasher(member, how, own, rest) {
      const peek = (hasher) => hasher.digest();
      const arrays = filled({ ...own, ...lengths });
      const make = (a, code) =>
        algorithm
          .create(...given(a, code))
          .update(HEAD)
          .update(a.message ?? "");
      const rests = { of: name, how: how + under, arrays, act: method(member), make, peek, ...rest };
      return row(rest.call ?? `${name} hasher.${member}`, rests);
    },
  };
}

function callsOn(library, name, lengths, length, fill) {
  const { algorithm, create, given, hashed, optional, onHasher } = common(library, name, lengths, fill);
  const { digestLength } = algorithm;
  const how = ` of ${length} bytes`;
  const message = { message: length };
  const output = { ...message, output: digestLength + 8 };
  const textBytes = asciiOf(fill("message", length));
  const text = new TextDecoder().decode(textBytes);
  const one = (a, oracle) => [hashed(a, oracle, a.message)];
  const filledUp = (a, digest) => concat(digest, a.output.subarray(digestLength));
  const all = (a, oracle) => hashed(a, oracle, HEAD, a.message);
  const next = (hasher) => hasher.reset().digest();
  const first = (a, oracle) => hashed(a, oracle);
  const isDisposed = (_, hasher) => {
    try {
      hasher.digest();
    } catch ({ message }) {
      if (/was disposed/.test(message)) return [];
    }
    throw new Error("a hasher disposed of still hashes");
  };
  return [
    optional(name, how, message, {
      act: calls(algorithm),
      args: (a, code) => [a.message, ...given(a, code)],
      expected: one,
    }),
    optional(
      name,
      `, text${how}`,
      {},
      {
        act: calls(algorithm),
        args: (a, code) => [text, ...given(a, code)],
        expected: (a, oracle) => [hashed(a, oracle, textBytes)],
      },
    ),
    optional(`${name}.into`, how, output, {
      act: calls(algorithm.into),
      args: (a, code) => [a.message, a.output, ...given(a, code)],
      expected: (a, oracle) => [filledUp(a, hashed(a, oracle, a.message))],
    }),
    onHasher("update", how, message, {
      make: (a, code) => create(a, code).update(HEAD),
      args: (a) => [a.message],
      look: (_, hasher) => [hasher.digest(), next(hasher)],
      expected: (a, oracle) => [all(a, oracle), first(a, oracle)],
    }),
    onHasher(
      "update",
      `, text${how}`,
      {},
      {
        make: (a, code) => create(a, code).update(HEAD),
        args: () => [text],
        look: (_, hasher) => [hasher.digest(), next(hasher)],
        expected: (a, oracle) => [hashed(a, oracle, HEAD, textBytes), first(a, oracle)],
      },
    ),
    onHasher("digest", how, message, {
      args: () => ["hex"],
      look: (value, hasher) => [ofHex(value), hasher.update(HEAD).digest(), next(hasher)],
      expected: (a, oracle) => [all(a, oracle), hashed(a, oracle, HEAD, a.message, HEAD), first(a, oracle)],
    }),
    onHasher("digestInto", how, output, {
      more: true,
      args: (a) => [a.output],
      look: (value, hasher) => [hasher.digest(), value],
      expected: (a, oracle) => [all(a, oracle), filledUp(a, all(a, oracle))],
    }),
    onHasher("clone", how, message, {
      more: true,
      look: (clone, hasher) => [clone.update(HEAD).digest(), hasher.digest(), clone.reset().digest()],
      expected: (a, oracle) => [hashed(a, oracle, HEAD, a.message, HEAD), all(a, oracle), first(a, oracle)],
    }),
    onHasher("reset", how, message, {
      more: true,
      look: (_, hasher) => [hasher.update(HEAD).digest()],
      expected: (a, oracle) => [hashed(a, oracle, HEAD)],
    }),
    onHasher("dispose", how, message, { more: true, look: isDisposed, expected: () => [] }),
    ...(library.states ? stateCalls(library, name, common(library, name, lengths, fill), how, message) : []),
  ];
}

function stateCalls({ states }, name, { algorithm, hashed, onHasher }, how, message) {
  const saving = onHasher("save", how, message, {
    call: "save",
    act: calls(states.save),
    args: (_a, _code, hasher) => [hasher],
    look: (saved, hasher) => [states.restore(algorithm, saved).digest(), hasher.digest()],
    expected: (a, oracle) => Array(2).fill(hashed(a, oracle, HEAD, a.message)),
  });
  const state = states.save(saving.make(saving.arrays, { options: (options) => options }));
  const wanted = (oracle) => hashed(saving.arrays, oracle, HEAD, saving.arrays.message);
  return [
    saving,
    row("restore", {
      of: name,
      how: saving.how,
      arrays: { state },
      act: calls(states.restore),
      args: (a) => [algorithm, a.state],
      look: (hasher) => [hasher.digest(), hasher.reset().digest()],
      expected: (a, oracle) =>
        a.state.every((byte, i) => byte === state[i]) && a.state.length === state.length
          ? [wanted(oracle), hashed(saving.arrays, oracle)]
          : undefined,
    }),
  ];
}

function callsOnce(library, name, lengths, fill) {
  const { algorithm, create, given, hashed, optional, onHasher } = common(library, name, lengths, fill);
  const one = (a, oracle) => [hashed(a, oracle, a.message)];
  const many = [500, READ].map((length) =>
    optional(
      `${name}.many`,
      ` with one of ${length} bytes`,
      { message: length },
      {
        act: calls(algorithm.many),
        args: (a, code) => [code.list(between(a.message)), ...given(a, code)],
        look: (digests) => digests,
        expected: (a, oracle) => between(a.message).map((each) => hashed(a, oracle, each)),
      },
    ),
  );
  const rest = [
    ...many,
    optional(
      `${name}.hex`,
      "",
      { message: 100 },
      {
        act: calls(algorithm.hex),
        args: (a, code) => [a.message, ...given(a, code)],
        look: (hex) => [ofHex(hex)],
        expected: one,
      },
    ),
    optional(
      `${name}.create`,
      "",
      {},
      {
        act: calls(algorithm.create),
        args: given,
        look: (hasher) => [hasher.update(HEAD).digest()],
        expected: (a, oracle) => [hashed(a, oracle, HEAD)],
      },
    ),
  ];
  if (!("xof" in algorithm.create())) return rest;
  const reader = (a, code) => create(a, code).update(a.message).xof();
  const reading = (member, own, more) =>
    onHasher(
      member,
      "",
      { message: 100, ...own },
      {
        call: `${name} reader.${member}`,
        make: reader,
        peek: (xof) => Uint8Array.of(Number(xof.position)),
        ...more,
      },
    );
  return [
    ...rest,
    onHasher(
      "xof",
      "",
      { message: 100 },
      {
        look: (xof, hasher) => [xof.read(algorithm.digestLength), hasher.digest()],
        more: true,
        expected: (a, oracle) => Array(2).fill(hashed(a, oracle, HEAD, a.message)),
      },
    ),
    reading(
      "readInto",
      { output: algorithm.digestLength },
      {
        more: true,
        args: (a) => [a.output],
        look: (value) => [value],
        expected: one,
      },
    ),
    ...(name === "blake3"
      ? [
          reading(
            "read",
            {},
            {
              more: true,
              args: () => [READ],
              quoted: [0],
              look: (value, xof) => [value, Uint8Array.of(Number(xof.position) % 251)],
              expected: (a, oracle) => [
                oracle.digest(name, a.message, { ...given(a, { options: (own) => own })[0], length: READ }),
                Uint8Array.of(READ % 251),
              ],
            },
          ),
        ]
      : []),
  ];
}

const NUMBERS = [
  ["updateUint8", 7, [7]],
  ["updateUint32LE", 7, [7, 0, 0, 0]],
  ["updateUint64BE", 7n, [0, 0, 0, 0, 0, 0, 0, 7]],
  ["updateFloat32LE", 7, [0, 0, 224, 64]],
];

/** Numbers, after bytes that fill the input area. */
function typedCalls({ main, typed }, name) {
  const before = bytesFor("before", AREA - 6);
  return NUMBERS.map(([update, number, bytes]) =>
    row(update, {
      of: name,
      act: (hasher, ...args) => typed[update](hasher, ...args),
      make: () => main.algorithms[name].create().update(before),
      args: () => [number],
      more: true,
      peek: (hasher) => hasher.digest(),
      look: (_, hasher) => [hasher.digest()],
      expected: (_, oracle) => [oracle.digest(name, concat(before, bytes))],
    }),
  );
}
