// The base class of objects that work with `using`, and that libraries do not wrap in Proxies.

/**
 * Defines the method that `using` calls, unless there is one or no such symbol. Called at each construction, since a
 * polyfill may come after the import. Without the symbol, compiled code uses the one of the registry of symbols.
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

    /** Vue wraps each `[object Object]` in a Proxy, which cannot reach private fields. */
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
