// biome-ignore-all lint/suspicious/noShadowRestrictedNames: what is used here must stay the engine's
// node replace-globals.mjs WHEN KIND PACKAGE TABLE GLOBALS: replaces one global after another, "before" or "after" the
// package has been imported, by one of `KINDS`, and makes every call. Prints for each what went wrong: another digest,
// a hang, an error that does not say why, or a call that fails afterwards, too. PACKAGE and TABLE are bundles, GLOBALS
// names, and whether the language has them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const own = {};
for (const name of globalThis.Object.getOwnPropertyNames(globalThis)) {
  if (/^[A-Z]|^(set|clear|process|console|structured)/.test(name)) own[name] = globalThis[name];
}
const { Buffer, Error, JSON, Map, Object, Promise, Proxy, Reflect, String, console, process } = own;
const [, , when, kind, packageFile, tableFile, list] = process.argv;
const nodeRequire = createRequire(import.meta.url);
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
/** Milliseconds. */
const HUNG = 5_000;

const isCallable = (value) => typeof value === "function";
const members = (object, standIn) => new Proxy(object, { get: (of, key) => standIn(Reflect.get(of, key), of) });

/** What takes a global's place. */
const KINDS = {
  /** A subclass, which objects of the engine are no instances of, or a wrapper. */
  right(_, value) {
    if (!isCallable(value)) return members(value, (member, of) => (isCallable(member) ? member.bind(of) : member));
    function Right(...args) {
      return new.target ? Reflect.construct(value, args, new.target) : Reflect.apply(value, this, args);
    }
    if (value.prototype) Right.prototype = Object.create(value.prototype, { constructor: { value: Right } });
    return Object.setPrototypeOf(Right, value);
  },
  /** Throws, whatever is done with it. */
  broken(name) {
    const fail = () => {
      throw new Error(`${name} is broken`);
    };
    return new Proxy(() => {}, { apply: fail, construct: fail, get: fail, has: fail });
  },
  /** Does nothing, as stubs and fake timers do. */
  silent(_, value) {
    if (!isCallable(value)) return members(value, (member) => (isCallable(member) ? () => ({}) : member));
    function Silent() {}
    const get = (_, key) => (key === "then" || typeof key === "symbol" ? undefined : () => {});
    Silent.prototype = new Proxy({}, { get });
    return Silent;
  },
};

/** Replaces a global; returns a function that puts it back. */
function replace(name) {
  const before = Reflect.getOwnPropertyDescriptor(globalThis, name);
  const value = KINDS[kind](name, globalThis[name]);
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return () => Object.defineProperty(globalThis, name, before);
}

const texts = new Map([packageFile, tableFile].map((file) => [file, readFileSync(file, "utf8")]));

/** The exports of a bundle, for which some names are always the engine's. */
function evaluate(file, requireHere, kept = {}) {
  const names = Object.keys(kept);
  return new AsyncFunction("requireHere", ...names, texts.get(file))(requireHere, ...names.map((name) => kept[name]));
}

const load = async () => (await evaluate(packageFile, nodeRequire)).library;

/** The table of calls of a package. */
function tableOf(library) {
  const known = { ...library, vitest: { afterAll() {} } };
  return evaluate(tableFile, (name) => known[name] ?? nodeRequire(name), own);
}

/** What a call gives: its bytes, an error, or nothing in time. */
async function outcomeOf(make) {
  let timer;
  const hung = new Promise((resolve) => {
    timer = own.setTimeout(resolve, HUNG, { hung: true });
  });
  const made = (async () => ({ bytes: Buffer.from(await make()).toString("hex") }))().catch((error) => ({ error }));
  const outcome = await Promise.race([made, hung]);
  own.clearTimeout(timer);
  return outcome;
}

const outcomesOf = (calls) => Promise.all(calls.map(async ([name, make]) => [name, await outcomeOf(make)]));

/**
 * Whether an error says which global is wrong, or that of a call. Without what the language has, no more can be asked.
 */
function isClear(error, name) {
  for (let each = error; each; each = each.cause) if (String(each?.message).includes(name)) return true;
  return error instanceof Error && (kind === "silent" || name in LANGUAGE || /^[\w. -]+: /.test(error.message));
}

function faultOf(name, { hung, bytes, error }, wanted) {
  if (bytes === wanted) return undefined;
  if (hung) return "hangs";
  if (bytes !== undefined) return `gives ${bytes.slice(0, 64)}, not ${wanted.slice(0, 64)}`;
  return kind !== "right" && isClear(error, name) ? undefined : `fails: ${error?.stack}`;
}

const LANGUAGE = Object.fromEntries(
  JSON.parse(list).flatMap(([name, isLanguage]) => (isLanguage ? [[name, true]] : [])),
);
const faults = [];
const shared = await tableOf(await load());
const clean = new Map();
for (const [name, { bytes }] of await outcomesOf(shared.calls)) clean.set(name, bytes);
// Some can be made only once.
for (const [name, { bytes }] of await outcomesOf(shared.calls)) {
  if (bytes === undefined || bytes !== clean.get(name)) clean.delete(name);
}
const chosen = ({ calls }) => calls.filter(([name]) => clean.has(name));

let current;
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    if (!isClear(error, current) || kind === "right") faults.push([current, event, String(error?.stack)]);
  });
}

/** Imports the package, if that comes after; undefined if that fails, as it may without what the language has. */
async function importUnder(name) {
  const restore = replace(name);
  try {
    return await load();
  } catch (error) {
    if (kind === "right" || !isClear(error, name)) faults.push([name, "import", String(error?.stack)]);
    return undefined;
  } finally {
    restore();
  }
}

for (const [name] of JSON.parse(list)) {
  current = name;
  const library = when === "before" ? await importUnder(name) : undefined;
  if (when === "before" && !library) continue;
  const table = library ? await tableOf(library) : shared;
  const restore = replace(name);
  const outcomes = await outcomesOf(chosen(table));
  restore();
  for (const [call, outcome] of outcomes) {
    const fault = faultOf(name, outcome, clean.get(call));
    if (fault) faults.push([name, call, fault]);
  }
  if (library) await table.end();
  // For what rejects unhandled.
  await new Promise((resolve) => own.setImmediate(resolve));
}
// What one global has broken for good, a call under the next one does not excuse.
for (const [call, outcome] of await outcomesOf(chosen(shared))) {
  if (outcome.bytes !== clean.get(call))
    faults.push(["none", call, `afterwards: ${outcome.error?.stack ?? "another digest"}`]);
}
console.log(JSON.stringify({ calls: clean.size, faults }));
process.exit();
