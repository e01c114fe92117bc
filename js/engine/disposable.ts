// `using` for what has `dispose`.
// For projects whose own lib has no Symbol.dispose:
/// <reference lib="esnext.disposable" preserve="true" />

/**
 * The base of what `using` disposes of, in engines that have explicit resource management. It is the result of a call, so
 * that a bundler can leave out what extends it.
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
