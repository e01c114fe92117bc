// Every kind of buffer and view, wherever its bytes lie, from this realm or another.
import vm from "node:vm";
import { describe, expect, it } from "vitest";
import { detach, expectError, notBytes, outOfBounds } from "../support/errors.ts";
import { AREA, expectBytes, pattern, smallEdges } from "../support/messages.ts";
import { eachSubject, expected, keyOf, type Subject } from "../support/subjects.ts";

const KINDS = [
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
  "Float32Array",
  "Float64Array",
  "BigInt64Array",
  "BigUint64Array",
  "DataView",
  ...("Float16Array" in globalThis ? ["Float16Array"] : []),
];

type View = Uint8Array | DataView;
type ViewConstructor = new (buffer: ArrayBufferLike, offset?: number, length?: number) => View;

/** A kind's constructor, of this realm. */
function viewKind(kind: string): ViewConstructor {
  return (globalThis as unknown as Record<string, ViewConstructor>)[kind]!;
}

/** A view of `length` bytes, a multiple of 8, from the offset on. */
function view(kind: string, buffer: ArrayBufferLike, offset: number, length: number): View {
  const Kind = viewKind(kind) as ViewConstructor & { BYTES_PER_ELEMENT?: number };
  return new Kind(buffer, offset, length / (Kind.BYTES_PER_ELEMENT ?? 1));
}

const message = pattern(2 * AREA);

function shared(bytes: Uint8Array, maxByteLength?: number): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes.length, maxByteLength === undefined ? {} : { maxByteLength });
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

/** The input gives the digest of these bytes, by each way in, and stays as it was. */
function check(subject: Subject, input: ArrayBufferLike | ArrayBufferView, bytes: Uint8Array, where?: string): void {
  const { algorithm } = subject;
  const wanted = expected(subject, bytes);
  expectBytes(algorithm(input), wanted, where);
  expectBytes(algorithm.into(input, new Uint8Array(wanted.length)), wanted, where);
  expectBytes(algorithm.create().update(input).digest(), wanted, where);
  const after = ArrayBuffer.isView(input)
    ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
    : new Uint8Array(input);
  expectBytes(after, bytes, where);
}

eachSubject((subject) => {
  it.each(KINDS)("%s, at any aligned offset and of any length", (kind) => {
    for (const offset of [0, 8, 64]) {
      for (const length of [0, 8, subject.blockLength, 1024, 4104]) {
        const bytes = message.slice(0, offset + length + 8);
        check(subject, view(kind, bytes.buffer, offset, length), bytes.subarray(offset, offset + length), kind);
      }
    }
  });

  it.each(KINDS)("%s over shared memory, and longer than an input area", (kind) => {
    check(subject, view(kind, shared(message), 8, AREA + 8), message.subarray(8, AREA + 16));
  });

  it.each(KINDS)("%s of another realm, over each of its buffers", (kind) => {
    const foreign = vm.createContext({ bytes: message.slice(0, 4096) });
    for (const buffer of ["ArrayBuffer", "SharedArrayBuffer"]) {
      const code = `const buffer = new ${buffer}(4096); new Uint8Array(buffer).set(bytes); new ${kind}(buffer, 8)`;
      check(subject, vm.runInContext(`{${code}}`, foreign) as ArrayBufferView, message.subarray(8, 4096), kind);
    }
  });

  it("Uint8Arrays at odd offsets, around the edges of blocks", () => {
    for (const offset of [1, 3, 7, 13]) {
      for (const length of smallEdges(subject)) {
        check(subject, message.subarray(offset, offset + length), message.slice(offset, offset + length));
      }
    }
  });

  it("ArrayBuffers and SharedArrayBuffers, of this realm and another", () => {
    for (const length of [0, 1, 1000, AREA + 1]) {
      const bytes = message.slice(0, length);
      check(subject, bytes.buffer, bytes);
      check(subject, shared(bytes), bytes);
      const foreign = vm.createContext({ bytes });
      check(subject, vm.runInContext("new Uint8Array(bytes).buffer", foreign) as ArrayBuffer, bytes);
      const code = `{const b = new SharedArrayBuffer(${length}); new Uint8Array(b).set(bytes); b}`;
      check(subject, vm.runInContext(code, foreign) as SharedArrayBuffer, bytes);
    }
  });

  it("Buffers: pooled, sliced, and of text", () => {
    check(subject, Buffer.from("pooled"), new TextEncoder().encode("pooled"));
    check(subject, Buffer.from(message).subarray(5, 505), message.subarray(5, 505));
    check(subject, Buffer.alloc(0), new Uint8Array());
  });

  it("subclasses of Uint8Array", () => {
    class Bytes extends Uint8Array {}
    check(subject, Bytes.from(message.subarray(0, 999)), message.subarray(0, 999));
    check(subject, Bytes.from(message), message);
  });

  // What else a class may say is in test/engine/getters.test.ts.
  it("subclasses whose species, methods and tag claim something else: their bytes count", () => {
    class Strange extends Uint8Array {
      static get [Symbol.species](): never {
        return Uint16Array as never;
      }
      override subarray(): never {
        throw new Error("subarray");
      }
    }
    check(subject, new Strange(message.buffer), message);
    const strangers = Array.from({ length: 9 }, () => new Strange(message.buffer));
    for (const digest of subject.algorithm.many(strangers)) expect(digest).toEqual(expected(subject, message));
    class Tagged extends DataView<ArrayBuffer> {
      override get [Symbol.toStringTag](): never {
        return "Tagged" as never;
      }
    }
    check(subject, new Tagged(message.buffer, 8, 100), message.subarray(8, 108));
  });

  it("resizable buffers and views that track them, after they grew and shrank", () => {
    const buffer = new ArrayBuffer(100, { maxByteLength: 2 * AREA });
    const tracking = new Uint8Array(buffer);
    const tail = new DataView(buffer, 10);
    for (const length of [100, AREA + 100, 50, 10]) {
      buffer.resize(length);
      tracking.set(message.subarray(0, length));
      const bytes = message.subarray(0, length);
      check(subject, buffer, bytes);
      check(subject, tracking, bytes);
      check(subject, tail, bytes.subarray(10));
    }
  });

  it("growable shared buffers", () => {
    const buffer = shared(message.subarray(0, 100), 5000);
    const tracking = new Uint16Array(buffer);
    buffer.grow(5000);
    new Uint8Array(buffer).set(message.subarray(0, 5000));
    check(subject, buffer, message.subarray(0, 5000));
    check(subject, tracking as unknown as ArrayBufferView, message.subarray(0, 5000));
  });

  it("zero-length views of buffers that are not detached", () => {
    for (const kind of KINDS) check(subject, view(kind, new ArrayBuffer(8), 8, 0), new Uint8Array());
  });
});

describe("wrong inputs", () => {
  const allowed = "must be a string, an ArrayBuffer, a SharedArrayBuffer or a view of one";

  const stale: (readonly [input: unknown, what: string])[] = [
    [detach(new ArrayBuffer(9)), "a detached ArrayBuffer"],
    [detach(new ArrayBuffer(9, { maxByteLength: 20 })), "a detached resizable ArrayBuffer"],
    ...KINDS.flatMap((kind) => {
      const whole = view(kind, new ArrayBuffer(32), 0, 32);
      const part = view(kind, new ArrayBuffer(32), 8, 16);
      detach(whole.buffer as ArrayBuffer);
      detach(part.buffer as ArrayBuffer);
      const short = outOfBounds((buffer) => view(kind, buffer, 0, 32));
      const late = outOfBounds((buffer) => view(kind, buffer, 8, 16));
      const tracking = outOfBounds((buffer) => new (viewKind(kind))(buffer, 8));
      const named = [whole, part, short, late, tracking];
      return named.map((input) => [input, `a detached or out-of-bounds ${kind}`] as const);
    }),
  ];

  eachSubject((subject) => {
    const { algorithm, name } = subject;
    const ways: Record<string, (input: never) => unknown> = {
      [name]: (input) => algorithm(input),
      [`${name}.hex`]: (input) => algorithm.hex(input, subject.secretFrom(keyOf(64))),
      [`${name}.into`]: (input) => algorithm.into(input, new Uint8Array(64)),
    };

    describe.each(Object.entries(ways))("%s", (call, way) => {
      it("says what it may be and what came", () => {
        for (const [input, got] of notBytes) {
          expectError(() => way(input as never), TypeError, `${call}: input ${allowed}`, `got ${got}`);
        }
      });

      it("refuses a detached or out-of-bounds buffer", () => {
        for (const [input, what] of stale) {
          const message = expectError(() => way(input as never), TypeError, `${call}: input ${allowed}`, "detached");
          expect(message, what).not.toContain("Object");
        }
      });
    });

    it("update leaves the hasher as it was, and later one-shots", () => {
      const hasher = algorithm.create().update(message.subarray(0, 700));
      const plain = expected(subject, message.subarray(0, 70));
      for (const [input] of [...notBytes, ...stale]) {
        expectError(() => hasher.update(input as never), TypeError, `${name} hasher.update: input ${allowed}`, "got ");
        expect(hasher.bytesHashed).toBe(700n);
        expect(() => algorithm(input as never)).toThrow(TypeError);
        expectBytes(algorithm(message.subarray(0, 70)), plain);
      }
      expectBytes(hasher.digest(), expected(subject, message.subarray(0, 700)));
      expectBytes(
        hasher.update("!").digest(),
        expected(subject, Buffer.concat([message.subarray(0, 700), Buffer.from("!")])),
      );
    });
  });
});
