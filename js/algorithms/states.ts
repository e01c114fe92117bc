// Saved states of every algorithm. Imports their forms but none of their kernels, for small bundles.
import { type Algorithm, records } from "../engine/algorithm.js";
import { Hasher } from "../engine/hasher.js";
import { HasherState } from "../engine/hasher-state.js";
import { readState, type StateForm, writeState } from "../engine/saved-state.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { FORMS } from "./state-forms.js";

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
  return writeState(hasher.algorithm, FORMS[hasher.algorithm] as StateForm, hasher.stateFor("save"));
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
  const found = records.get(algorithm);
  if (!found) throw wrongKind("restore", "algorithm", "an algorithm of this package", algorithm);
  const { record, hasherClass } = found;
  const restored = readState(record, FORMS[record.name] as StateForm, state);
  return new hasherClass(record, new HasherState(record, restored.parameters, restored.state)) as H;
}
