// Long streams do not fill the memory.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { expect, it } from "vitest";

const CHUNK = 65536;
const CHUNKS = 4096;

const code = `
  import { blake2b } from "blake-simd";
  import { HashStream } from "blake-simd/streams";
  let given = 0;
  const source = new ReadableStream({
    pull(controller) {
      if (given++ < ${CHUNKS}) controller.enqueue(new Uint8Array(${CHUNK}).fill(given));
      else controller.close();
    },
  });
  const hash = new HashStream(blake2b);
  const before = process.memoryUsage.rss();
  await source.pipeThrough(hash).pipeTo(new WritableStream());
  const digest = Buffer.from(await hash.digest).toString("hex");
  console.log(JSON.stringify({ digest, growth: process.resourceUsage().maxRSS * 1024 - before }));
`;

it("256 MiB in chunks of 64 KiB take less than 100 MiB", () => {
  const hash = createHash("blake2b512");
  for (let i = 1; i <= CHUNKS; i++) hash.update(Buffer.alloc(CHUNK, i));
  const args = ["--input-type=module", "--eval", code];
  const output = execFileSync(process.execPath, args, { cwd: resolve(import.meta.dirname, ".."), encoding: "utf8" });
  const { digest, growth } = JSON.parse(output);
  expect(digest).toBe(hash.digest("hex"));
  expect(growth).toBeLessThan(100 * 2 ** 20);
});
