// What programs call most, of a package that was compiled to ES5: whole messages, hashers, Blobs, files, streams.
import assert from "node:assert/strict";
import { createHash as nodeHash } from "node:crypto";
import { openAsBlob, writeFileSync } from "node:fs";
import { algorithms, blake2b, blake3, toHex } from "blake-simd";
import { createHash, hashFile } from "blake-simd/node";
import { DigestStream, digestOf, HashStream, VerifyStream } from "blake-simd/streams";

const long = Buffer.alloc(3_000_001, "0123456789");
writeFileSync("long", long);
/** Messages, and their digests by a hash that Node has, too. */
const messages = [Buffer.from("hello"), long].map((bytes) => ({
  bytes,
  digest: nodeHash("blake2b512").update(bytes).digest("hex"),
}));

/** The digest of bytes that come in pieces, by a copy of the hasher. */
function inPieces(algorithm, bytes) {
  const hasher = algorithm.create();
  for (let at = 0; at < bytes.length; at += 70_001) hasher.update(bytes.subarray(at, at + 70_001));
  return hasher.clone().digest("hex");
}

/** Reads a Blob through a stream; returns its text. */
const through = (blob, stream) => new Response(blob.stream().pipeThrough(stream)).text();

for (const { bytes, digest } of messages) {
  assert.equal(blake2b.hex(bytes), digest);
  assert.equal(inPieces(blake2b, bytes), digest);
  assert.equal(createHash("blake2b512").update(bytes).copy().digest("hex"), digest);
  for (const blob of [new Blob([bytes]), new File([bytes.subarray(0, 2), bytes.subarray(2)], "name")]) {
    assert.equal(toHex(await digestOf(blake2b, blob)), digest);
    assert.equal(toHex(await digestOf(blake2b, blob.stream())), digest);
    assert.equal(toHex(await digestOf(blake2b, new Response(blob))), digest);
    const hash = new HashStream(blake2b);
    assert.ok(hash instanceof HashStream && hash instanceof TransformStream);
    assert.equal(await through(blob, hash), bytes.toString());
    assert.equal(toHex(await hash.digest), digest);
    assert.equal(await through(blob, new VerifyStream(blake2b, digest)), bytes.toString());
    await assert.rejects(through(blob, new VerifyStream(blake3, digest.slice(64))), /VerifyStream/);
    const sink = new DigestStream(blake2b);
    await blob.stream().pipeTo(sink);
    assert.equal(toHex(await sink.digest), digest);
  }
}
assert.equal(toHex(await digestOf(blake2b, await openAsBlob("long"))), messages[1].digest);
assert.equal(toHex(await hashFile(blake2b, "long")), messages[1].digest);

for (const algorithm of Object.values(algorithms)) {
  for (const { bytes } of messages) assert.equal(inPieces(algorithm, bytes), algorithm.hex(bytes));
}
const inputs = messages.map(({ bytes }) => bytes);
for (const algorithm of [blake3, blake2b]) {
  assert.deepEqual(
    algorithm.many(inputs).map(toHex),
    inputs.map((bytes) => algorithm.hex(bytes)),
  );
}
assert.equal(toHex(await digestOf(blake3, new Blob([long]))), blake3.hex(long));
