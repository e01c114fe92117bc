// A tree that is built by hand out of BLAKE2's parameters.
import { blake2b } from "blake-simd";
import { expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";

eachBackend(() => {
  it("of two levels has the root that Python's documentation of hashlib shows", () => {
    const message = new Uint8Array(6000);
    const tree = { fanout: 2, maxDepth: 2, maxLeafLength: 4096, innerHashLength: 64 };
    const left = blake2b(message.subarray(0, 4096), { ...tree, nodeOffset: 0 });
    const right = blake2b(message.subarray(4096), { ...tree, nodeOffset: 1, lastNode: true });
    const root = blake2b
      .create({ ...tree, length: 32, nodeDepth: 1, lastNode: true })
      .update(left)
      .update(right);
    expect(root.digest("hex")).toBe("3ad2a9b37c6070e374c7a8c508fe20ca86b6ed54e286e93a0318e95e881db5aa");
  });
});
