// Makes `using` work with classes that have a `dispose` method.

/**
 * Base class for `using`, in engines that support explicit resource management. It is the result of a pure call, so
 * that bundlers can drop unused subclasses.
 */
export const Disposable: abstract new () => object = /* @__PURE__ */ (() => {
  abstract class Disposable {
    abstract dispose(): void;
  }
  const value = function (this: Disposable): void {
    this.dispose();
  };
  if (Symbol.dispose) Object.defineProperty(Disposable.prototype, Symbol.dispose, { value });
  return Disposable;
})();
