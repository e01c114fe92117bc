// Bases of the stream classes.

type Base = (new (...args: never) => object) & { prototype: object };

/**
 * Returns a class that stands in for a global one, which is looked up at the first `new`: an environment without it,
 * such as jsdom, can import its subclasses.
 */
function lazyBase<Class extends Base>(find: () => Class): Class {
  let base: Class | undefined;
  function Lazy(...args: never[]): object {
    if (!base) {
      base = find();
      Object.setPrototypeOf(Lazy.prototype, base.prototype);
    }
    return Reflect.construct(base, args, new.target as unknown as Class);
  }
  return Lazy as unknown as Class;
}

export const LazyTransformStream = /* @__PURE__ */ lazyBase(() => TransformStream);
export const LazyWritableStream = /* @__PURE__ */ lazyBase(() => WritableStream);
