// The calls of blake-simd/hazmat.
import { bytesFor, calls, concat, HEAD, makes, method, row } from "./row.mjs";

const KIB = 1024;
const under = { of: "blake3", secrets: ["key", "context"] };

export function subtreeCalls({ hazmat }, fill = bytesFor) {
  const { chainingValue, mergeSubtrees, rootOf, rootXof, SubtreeGroupHasher, SubtreeHasher } = hazmat;
  const options = (a, code, more) => code.options({ ...more, key: a.key });
  const filled = (own) => Object.fromEntries(Object.entries(own).map(([name, length]) => [name, fill(name, length)]));
  const message = filled({ message: 3000, key: 32 });
  const pair = filled({ left: 32, right: 32, key: 32 });
  const requirePair = ({ left, right }) => {
    if (left.length !== 32 || right.length !== 32) throw new RangeError("value");
    return [left, right];
  };
  const root = (a, oracle) => oracle.parent(...requirePair(a), a.key, true);

  const hashers = [
    [SubtreeHasher, {}],
    [SubtreeGroupHasher, { group: KIB }],
  ].flatMap(([Class, own]) => {
    const { name } = Class;
    const make = (a, code) => new Class(options(a, code, own)).update(HEAD);
    const valuesOf = (hasher) => [hasher.chainingValue(), ...(own.group ? [hasher.groupValues()] : [])];
    const wanted = (a, oracle, ...parts) => {
      const bytes = concat(...parts);
      const groups = Array.from({ length: Math.ceil(bytes.length / KIB) }, (_, i) =>
        oracle.subtree(bytes.subarray(KIB * i, KIB * (i + 1)), KIB * i, a.key),
      );
      return [oracle.subtree(bytes, 0, a.key), ...(own.group ? [concat(...groups)] : [])];
    };
    const peek = (hasher) => concat(...valuesOf(hasher));
    const methods = { of: "blake3", arrays: message, peek };
    return [
      row(name, {
        ...under,
        act: makes(Class),
        args: () => [{ ...own }],
        optionsAt: 0,
        look: (hasher) => valuesOf(hasher.update("a")),
      }),
      row(`${name}.update`, {
        ...methods,
        make,
        act: method("update"),
        args: (a) => [a.message],
        look: (_, hasher) => valuesOf(hasher),
        expected: (a, oracle) => wanted(a, oracle, HEAD, a.message),
      }),
      ...["chainingValue", ...(own.group ? ["groupValues"] : [])].map((member) =>
        row(`${name}.${member}`, {
          ...methods,
          make: (a, code) => make(a, code).update(a.message),
          act: method(member),
          look: (value, hasher) => [value, ...valuesOf(hasher.update(HEAD))],
          expected: (a, oracle) => [
            wanted(a, oracle, HEAD, a.message).at(member === "groupValues" ? 1 : 0),
            ...wanted(a, oracle, HEAD, a.message, HEAD),
          ],
        }),
      ),
    ];
  });

  return [
    row("chainingValue", {
      ...under,
      arrays: message,
      act: calls(chainingValue),
      args: (a, code) => [a.message, options(a, code)],
      optionsAt: 1,
      expected: (a, oracle) => [oracle.subtree(a.message, 0, a.key)],
    }),
    row("mergeSubtrees", {
      ...under,
      arrays: pair,
      act: calls(mergeSubtrees),
      args: (a, code) => [a.left, a.right, options(a, code)],
      optionsAt: 2,
      expected: (a, oracle) => [oracle.parent(...requirePair(a), a.key)],
    }),
    row("rootOf", {
      ...under,
      arrays: pair,
      act: calls(rootOf),
      args: (a, code) => [a.left, a.right, options(a, code), code.options({ length: 32 })],
      optionsAt: 2,
      expected: (a, oracle) => [root(a, oracle)],
    }),
    row("rootXof", {
      ...under,
      arrays: pair,
      act: calls(rootXof),
      args: (a, code) => [a.left, a.right, options(a, code)],
      optionsAt: 2,
      look: (xof) => [xof.read(32)],
      expected: (a, oracle) => [root(a, oracle)],
    }),
    ...hashers,
    ...collectorCalls(hazmat, fill),
    row("partsOf", {
      of: "blake3",
      act: calls(hazmat.partsOf),
      args: () => [5000, KIB, 0],
      quoted: [0, 1, 2],
      look: () => [],
    }),
    row("leftSubtreeLength", {
      of: "blake3",
      act: calls(hazmat.leftSubtreeLength),
      args: () => [5000],
      quoted: [0],
      look: () => [],
    }),
    row("maxSubtreeLength", {
      of: "blake3",
      act: calls(hazmat.maxSubtreeLength),
      args: () => [KIB],
      quoted: [0],
      look: () => [],
    }),
  ];
}

/** Objects of four parts, of which the second one is set last, alone or with the values of its two groups. */
function collectorCalls({ chainingValue, SubtreeCollector }, fill) {
  return [
    [KIB, undefined],
    [2 * KIB, KIB],
  ].flatMap(([part, group]) => {
    const object = fill("object", 4 * part);
    const slice = (from, length) => object.subarray(from, from + length);
    const valueAt = (from, length) => chainingValue(slice(from, length), { offset: from });
    const groupsOf = (i) => (group ? [concat(valueAt(i * part, group), valueAt(i * part + group, group))] : []);
    const set = (collector, i) => collector.set(i * part, valueAt(i * part, part), ...groupsOf(i));
    const three = () => {
      const collector = new SubtreeCollector(4 * part, part, group ? { group } : {});
      for (const i of [0, 2, 3]) set(collector, i);
      return collector;
    };
    const four = () => set(three(), 1);
    const state = three().save();
    const arrays = { value: valueAt(part, part), ...(group && { groupValues: groupsOf(1)[0] }) };
    const resultOf = (collector) => [collector.digest(), ...(group ? [collector.groupValues()] : [])];
    const wanted = (oracle) => [
      oracle.digest("blake3", object),
      ...(group
        ? [concat(...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => oracle.subtree(slice(i * group, group), i * group)))]
        : []),
    ];
    const isOwn = (a, name) => hex(a[name]) === hex(arrays[name]);
    const how = group ? " with groups" : "";
    const on = (member, rest) =>
      row(`SubtreeCollector.${member}`, { of: "blake3", how, make: four, act: method(member), ...rest });
    const rows = [
      on("set", {
        make: three,
        arrays,
        args: (a) => [part, a.value, a.groupValues],
        quoted: [0],
        // The honest value is taken after another one was refused.
        peek: (collector) => Uint8Array.of([...collector.missing].length),
        look: (_, collector) => resultOf(collector),
        expected(a, oracle) {
          if (group) return isOwn(a, "value") && isOwn(a, "groupValues") ? wanted(oracle) : undefined;
          if (a.value.length !== 32) throw new RangeError("value");
          const [first, , third, fourth] = [0, 1, 2, 3].map((i) => oracle.subtree(slice(i * part, part), i * part));
          return [oracle.parent(oracle.parent(first, a.value), oracle.parent(third, fourth), undefined, true)];
        },
      }),
      on("save", {
        look: (saved) => resultOf(SubtreeCollector.restore(saved)),
        expected: (_, oracle) => wanted(oracle),
      }),
      row("SubtreeCollector.restore", {
        of: "blake3",
        how,
        arrays: { state },
        act: calls(SubtreeCollector.restore),
        args: (a) => [a.state],
        look: (collector) => resultOf(set(collector, 1)),
        expected: (a, oracle) => (hex(a.state) === hex(state) ? wanted(oracle) : undefined),
      }),
    ];
    if (group)
      return [
        ...rows,
        on("groupValues", { look: (values) => [values], expected: (_, oracle) => wanted(oracle).slice(1) }),
      ];
    const digest = (_, oracle) => [oracle.digest("blake3", object)];
    return [
      ...rows,
      row("SubtreeCollector", {
        ...under,
        act: makes(SubtreeCollector),
        args: () => [5000, KIB, {}],
        optionsAt: 2,
        quoted: [0, 1],
        look: (collector) => [collector.save()],
      }),
      on("chainingValue", { look: (value) => [value], expected: (_, oracle) => [oracle.subtree(object)] }),
      on("digest", { args: (_, code) => [code.options({ length: 32 })], optionsAt: 0, expected: digest }),
      on("xof", { look: (xof) => [xof.read(32)], expected: digest }),
    ];
  });
}

const hex = (bytes) => bytes.join();
