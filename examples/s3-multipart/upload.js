// Uploads a file to S3 in parts, and stores the BLAKE3 digest of the whole object as its tag `blake3`. Each part is
// hashed as it is sent, so that nothing is read twice:
//
//   S3_ENDPOINT=https://... node upload.js [--part=BYTES] [--state=STATE] FILE BUCKET KEY
//
// With --state, an upload that was interrupted continues from the parts that STATE lists.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { parseArgs } from "node:util";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { blake3, fromHex, toHex } from "blake-simd";
import { chainingValue, SubtreeCollector } from "blake-simd/hazmat";

const AT_A_TIME = 4;

const client = new S3Client({
  endpoint: process.env.S3_ENDPOINT,
  region: process.env.AWS_REGION ?? "us-east-1",
  forcePathStyle: true,
  // Servers other than Amazon's may not know the checksums that the SDK sends by default.
  requestChecksumCalculation: "WHEN_REQUIRED",
});

/** The parts uploaded so far: their ETags, and the collector of their chaining values. */
class Progress {
  constructor(file, object, length, partLength) {
    this.file = file;
    const saved = file && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
    if (saved && JSON.stringify(saved.object) !== JSON.stringify(object)) {
      throw new Error(`${file}: belongs to another upload, of ${JSON.stringify(saved.object)}`);
    }
    this.object = object;
    this.uploadId = saved?.uploadId;
    this.etags = saved?.etags ?? {};
    this.collector = saved
      ? SubtreeCollector.restore(fromHex(saved.collector))
      : new SubtreeCollector(length, partLength);
  }

  set(part, PartNumber, { ETag }, value) {
    this.collector.set(part.offset, value);
    this.etags[PartNumber] = ETag;
    this.write();
  }

  write() {
    if (!this.file) return;
    const { object, uploadId, etags } = this;
    const state = { object, uploadId, etags, collector: toHex(this.collector.save()) };
    writeFileSync(`${this.file}.new`, JSON.stringify(state));
    renameSync(`${this.file}.new`, this.file);
  }

  remove() {
    if (this.file) rmSync(this.file, { force: true });
  }
}

async function readPart(file, { offset, length }) {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, length - at, offset + at);
    if (bytesRead === 0) throw new Error(`the file has become shorter than ${offset + length} bytes`);
    at += bytesRead;
  }
  return bytes;
}

/** Sends the missing parts, several at a time. The SDK itself sends a part again if the connection breaks. */
async function sendParts(file, target, progress, partLength) {
  const { uploadId: UploadId, collector } = progress;
  const parts = collector.missing[Symbol.iterator]();
  const send = async () => {
    for (const part of { [Symbol.iterator]: () => parts }) {
      const bytes = await readPart(file, part);
      const PartNumber = part.offset / partLength + 1;
      const sent = client.send(new UploadPartCommand({ ...target, UploadId, PartNumber, Body: bytes }));
      // Computed from the bytes that are sent, while they are sent; kept only if the server has them.
      const value = chainingValue(bytes, { offset: part.offset });
      progress.set(part, PartNumber, await sent, value);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, send));
}

async function uploadParts(file, object, target, length, partLength, state) {
  const progress = new Progress(state, object, length, partLength);
  progress.uploadId ??= (await client.send(new CreateMultipartUploadCommand(target))).UploadId;
  progress.write();
  const { uploadId: UploadId } = progress;
  try {
    await sendParts(file, target, progress, partLength);
    const Parts = Object.entries(progress.etags).map(([number, ETag]) => ({ PartNumber: Number(number), ETag }));
    await client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }));
  } catch (error) {
    // Parts that are neither completed nor aborted are paid for.
    if (!state) await client.send(new AbortMultipartUploadCommand({ ...target, UploadId }));
    throw error;
  }
  progress.remove();
  return toHex(progress.collector.digest());
}

async function upload(name, Bucket, Key, partLength, state) {
  const target = { Bucket, Key };
  const file = await open(name);
  try {
    const { size, mtimeMs } = await file.stat();
    let digest;
    if (size <= partLength) {
      const bytes = await readPart(file, { offset: 0, length: size });
      await client.send(new PutObjectCommand({ ...target, Body: bytes }));
      digest = toHex(blake3(bytes));
    } else {
      const object = { name, Bucket, Key, size, mtimeMs, partLength };
      digest = await uploadParts(file, object, target, size, partLength, state);
    }
    const Tagging = { TagSet: [{ Key: "blake3", Value: digest }] };
    await client.send(new PutObjectTaggingCommand({ ...target, Tagging }));
    return digest;
  } finally {
    await file.close();
  }
}

const { values, positionals } = parseArgs({
  // A power of 2. S3 takes parts of 5 MiB to 5 GiB, at most 10 000: these are enough for 156 GiB.
  options: { part: { type: "string", default: String(2 ** 24) }, state: { type: "string" } },
  allowPositionals: true,
});
const [name, bucket, key] = positionals;
try {
  if (key === undefined) throw new Error("usage: node upload.js [--part=BYTES] [--state=STATE] FILE BUCKET KEY");
  console.log(`${await upload(name, bucket, key, Number(values.part), values.state)}  s3://${bucket}/${key}`);
} catch (error) {
  console.error(`${name}: ${error.message}`);
  process.exitCode = 1;
}
