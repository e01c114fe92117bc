// Every single bit of every encoding flipped: no wrong byte is given, and each is noticed.
import { describe, expect, it } from "vitest";
import { baoCases, encode, requireFlipsNoticed } from "../support/bao-peer.ts";

describe.each(baoCases)("$name", (each) => {
  it("with any bit flipped gives no wrong byte and fails", { timeout: 600_000 }, async () => {
    const encoded = await encode(each);
    const bits = 8 * encoded.bytes.length;
    const numbers = Array.from({ length: Math.ceil(bits / each.step) }, (_, i) => i * each.step);
    expect(requireFlipsNoticed(each, encoded, numbers)).toBeGreaterThan(numbers.length - 64);
  });
});
