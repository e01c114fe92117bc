// What the tests of hasha check: texts, bytes, streams and files, hashed here and in a worker.
import { createReadStream, rmSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { hash, hashFile, hashFileSync, hashingStream, hashSync } from "hasha";
import { algorithms, messages, show } from "./messages.mjs";

const FILE = `${import.meta.filename}.input`;
const ENCODINGS = [undefined, "hex", "base64", "latin1", "buffer", "nonsense"];

for (const algorithm of algorithms) {
  for (const encoding of ENCODINGS) {
    const options = { algorithm, encoding };
    for (const input of ["", "é\ud83d", "abc", ["a", "bc", messages[5]], ...messages]) {
      await show(() => hashSync(input, options));
      await show(() => hash(input, options));
    }
    writeFileSync(FILE, messages.at(-1));
    await show(() => hashFile(FILE, options));
    await show(() => hashFileSync(FILE, options));
    await show(() => hash(createReadStream(FILE), options));
    await show(() => hash(Readable.from([]), options));
    await show(() => Readable.from(messages).pipe(hashingStream(options)).toArray());
  }
  await show(() => hash(createReadStream("no such file"), { algorithm }));
  await show(() => hashFile("no such file", { algorithm }));
  await show(() => hash("abc", { algorithm, signal: AbortSignal.abort() }));
}
await show(() => hashSync(5, { algorithm: algorithms[0] }));
await show(() => hash([5], { algorithm: algorithms[0] }));
rmSync(FILE);
