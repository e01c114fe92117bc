// A Transform that becomes a stream when it is first used as one, as the hashes of node:crypto do: to make a stream
// takes several times as long as a short hash.
import { Transform, type TransformOptions } from "node:stream";

/** What every member of a stream looks at first; a stream's constructor sets both. */
type State = "_readableState" | "_writableState";

type Constructor = { call(stream: Lazy, options: TransformOptions | undefined): void };

class Lazy {
  readonly #options: TransformOptions | undefined;

  constructor(options?: TransformOptions) {
    this.#options = options;
  }

  get _readableState(): unknown {
    this.#become();
    return this._readableState;
  }

  set _readableState(state: unknown) {
    own(this, "_readableState", state);
  }

  get _writableState(): unknown {
    this.#become();
    return this._writableState;
  }

  set _writableState(state: unknown) {
    own(this, "_writableState", state);
  }

  /** Sets both; a wrong option of one leaves the other, and throws again at the next use. */
  #become(): void {
    (Transform as unknown as Constructor).call(this, this.#options);
  }
}

function own(stream: Lazy, name: State, value: unknown): void {
  Object.defineProperty(stream, name, { value, writable: true, enumerable: true, configurable: true });
}

function inherit(): typeof Transform {
  Object.setPrototypeOf(Lazy.prototype, Transform.prototype);
  return Object.setPrototypeOf(Lazy, Transform);
}

/** Any of its errors for an option comes when it becomes a stream. */
export const LazyTransform = /* @__PURE__ */ inherit();
