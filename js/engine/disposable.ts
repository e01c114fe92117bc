// The base class of objects that work with `using`, and that libraries do not wrap in Proxies.

/** Base class for `using`. It is the result of a pure call, so that bundlers can drop unused subclasses. */
export const Disposable: abstract new () => object = /* @__PURE__ */ (() => {
  // Without the symbol, compiled code uses the one of the registry of symbols.
  const symbol = Symbol.dispose ?? Symbol.for("Symbol.dispose");

  abstract class Disposable {
    abstract dispose(): void;

    [symbol](): void {
      this.dispose();
    }

    /** Vue wraps each `[object Object]` in a Proxy, which cannot reach private fields. */
    get [Symbol.toStringTag](): string {
      return this.constructor.name;
    }
  }
  return Disposable;
})();
