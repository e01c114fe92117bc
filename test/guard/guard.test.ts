// What the guard is for: it finds the defects of its class when they are brought back.
import { blake2b, blake3 } from "blake-simd";
import { describe, expect, it } from "vitest";
import { Kernel } from "../../js/engine/kernel.ts";
import { Area } from "../../js/engine/memory.ts";
import { expectBytes } from "../support/messages.ts";
import { expected, keyOf, subjects } from "../support/subjects.ts";
import { takeFailures, wipingBy } from "./guard.ts";

/** As it was: the bytes from the area's beginning on, past its end. */
function unbounded(this: Area, length: number): void {
  new Uint8Array(this.bytes.buffer).fill(0, this.bytes.byteOffset, this.bytes.byteOffset + length);
}

describe("a wipe that continues past its area", () => {
  it("is found in a read of 20 000 bytes", () => {
    const reader = blake3.create().update("seed").xof();
    const hasher = blake3.create().update("message");
    const { wipeOutput } = Kernel.prototype;
    Kernel.prototype.wipeOutput = function (length) {
      this.output.wipe(length);
    };
    try {
      wipingBy(unbounded, () => expect(() => reader.read(20_000)).toThrow("has changed the byte at 0x10000"));
    } finally {
      Kernel.prototype.wipeOutput = wipeOutput;
    }
    expect(takeFailures()).toHaveLength(1);
    // The read has left its kernel open, which is found too, once.
    expect(() => hasher.digest()).toThrow("a kernel was open when it was asked for");
    expect(takeFailures()).toHaveLength(1);
  });

  it("is found however few bytes too many are asked for", () => {
    const memory = new ArrayBuffer(0x20000);
    expect(() => new Area(memory, 0x4000, 0x100).wipe(0x101)).toThrow("is more than the area");
    expect(takeFailures()).toHaveLength(1);
  });
});

describe("code of the user's in an open kernel", () => {
  it("is found", () => {
    // Decoding a kernel takes an encoder, too.
    blake2b("");
    const { encodeInto } = TextEncoder.prototype;
    TextEncoder.prototype.encodeInto = function (...args) {
      TextEncoder.prototype.encodeInto = encodeInto;
      blake2b("in between");
      return encodeInto.apply(this, args);
    };
    try {
      expect(() => blake2b("message", { key: keyOf(3) })).toThrow("a kernel was open when it was asked for");
    } finally {
      TextEncoder.prototype.encodeInto = encodeInto;
    }
    expect(takeFailures()).toHaveLength(1);
    expectBytes(blake2b("message"), expected(subjects.find(({ name }) => name === "blake2b")!, Buffer.from("message")));
  });
});
