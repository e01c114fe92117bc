// Saved states of every algorithm. Imports their forms but none of their kernels, for small bundles.
import { type Algorithm, resumables } from "../engine/algorithm.js";
import { Hasher, type Identity } from "../engine/hasher.js";
import { HasherState } from "../engine/hasher-state.js";
import type { Parameters } from "../engine/kernel.js";
import { countIn, PREFIX_AT, uint32At } from "../engine/memory.js";
import { readState, type StateForm, writeState } from "../engine/saved-state.js";
import type { Message } from "../input/bytes.js";
import { outOfRange, requireArguments, wrongKind } from "../input/errors.js";
import { utf8 } from "../input/utf8.js";
import { blake1Form } from "./blake1-state.js";
import { BLAKE224, BLAKE256, BLAKE384, BLAKE512 } from "./blake1-variants.js";
import { extendableForm, parallelForm, sequentialForm } from "./blake2-state.js";
import { blake3Form } from "./blake3-state.js";

const FORMS: Readonly<Record<string, () => StateForm>> = {
  blake224: () => blake1Form(BLAKE224),
  blake256: () => blake1Form(BLAKE256),
  blake384: () => blake1Form(BLAKE384),
  blake512: () => blake1Form(BLAKE512),
  blake2b: () => sequentialForm(8),
  blake2bp: () => parallelForm(8),
  blake2xb: () => extendableForm(8),
  blake2s: () => sequentialForm(4),
  blake2sp: () => parallelForm(4),
  blake2xs: () => extendableForm(4),
  blake3: () => blake3Form,
};

// Cached, since making a form takes longer than saving a state.
const made = /* @__PURE__ */ new Map<string, StateForm>();

function formOf(name: string): StateForm {
  const known = made.get(name);
  if (known) return known;
  const form = (FORMS[name] as () => StateForm)();
  made.set(name, form);
  return form;
}

/** Every limit is 2^61 or more, and nobody hashes 2^60 bytes: only a restored message can come near. */
const NEAR_LIMIT = 1n << 60n;

/** A state that may reach what the algorithm can count. */
class LimitedState extends HasherState {
  readonly #name: string;
  readonly #longest: bigint;

  constructor(identity: Identity, parameters: Parameters, state?: Uint8Array<ArrayBuffer>) {
    super(identity, parameters, state);
    this.#name = identity.name;
    const prefix = state ? uint32At(state, PREFIX_AT) : 0;
    this.#longest = (1n << BigInt(identity.countBits)) - 1n - BigInt(prefix);
  }

  override update(message: Message, units: number): void {
    this.#requireRoom(typeof message === "string" ? utf8().encode(message).length : units);
    super.update(message, units);
  }

  override reserve(length: number): DataView {
    this.#requireRoom(length);
    return super.reserve(length);
  }

  #requireRoom(more: number): void {
    const length = this.count() + BigInt(more);
    if (length <= this.#longest) return;
    throw outOfRange(`${this.#name} hasher.update`, `message must have at most ${this.#longest} bytes`, length);
  }
}

/**
 * Returns the state of a hasher as bytes, including its options, for {@link restore} on any machine, in this or a later
 * release. docs/states.md describes the format. Keep the bytes secret: anyone who has them can continue the message,
 * and those of a keyed hasher contain the key.
 *
 * @throws TypeError for a value that is not a hasher of this package; Error after `dispose`
 * @example
 * const state = save(blake3.create().update(first));
 * restore(blake3, state).update(second).digest("hex");
 */
export function save(hasher: Hasher): Uint8Array<ArrayBuffer> {
  requireArguments("save", arguments.length, 1);
  if (!(hasher instanceof Hasher)) throw wrongKind("save", "hasher", "a hasher of this package", hasher);
  return writeState(hasher.algorithm, formOf(hasher.algorithm), hasher.live("save"));
}

/**
 * Returns a hasher with the message so far, key and options of a state from {@link save}. docs/states.md describes
 * which bytes are valid.
 *
 * @throws TypeError for a value that is not an algorithm of this package, or not a Uint8Array; RangeError for bytes
 *   that are not a saved state of this algorithm
 * @example
 * restore(blake3, save(blake3.create().update("ab"))).update("c").digest(); // equals blake3("abc")
 */
export function restore<H extends Hasher>(algorithm: Algorithm<never, H>, state: Uint8Array): H {
  requireArguments("restore", arguments.length, 2);
  const resumable = resumables.get(algorithm);
  if (!resumable) throw wrongKind("restore", "algorithm", "an algorithm of this package", algorithm);
  const { identity, hasherClass } = resumable;
  const restored = readState(identity, formOf(identity.name), state);
  const State = countIn(restored.state) < NEAR_LIMIT ? HasherState : LimitedState;
  return new hasherClass(identity, new State(identity, restored.parameters, restored.state)) as H;
}
