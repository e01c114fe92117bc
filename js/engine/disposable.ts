// What makes objects of this package work with `using`, and keeps libraries from wrapping them.

/**
 * Defines the method that `using` calls, unless there is one or no such symbol: called at each construction, since a
 * polyfill may have come after the import. What compilers make of `using` looks in the registry of symbols where there
 * is none.
 */
export function enableUsing(prototype: object, symbol: symbol | undefined, value: () => unknown): void {
  if (symbol && !(symbol in prototype)) Object.defineProperty(prototype, symbol, { value });
}

/** Base class for `using`. It is the result of a pure call, so that bundlers can drop unused subclasses. */
export const Disposable: abstract new () => object = /* @__PURE__ */ (() => {
  abstract class Disposable {
    constructor() {
      enableUsing(prototype, Symbol.dispose, value);
    }

    abstract dispose(): void;

    /** Vue replaces what is an `[object Object]` by a Proxy, which cannot reach private fields. */
    get [Symbol.toStringTag](): string {
      return this.constructor.name;
    }
  }
  const { prototype } = Disposable;
  const value = function (this: Disposable): void {
    this.dispose();
  };
  enableUsing(prototype, Symbol.for("Symbol.dispose"), value);
  return Disposable;
})();
