// What the tests of ssri check: integrities of data and streams, made and compared.
import { Readable } from "node:stream";
import ssri from "ssri";

const algorithms = process.argv.slice(2);
const LONG = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 2654435761) >>> 24));
const messages = [0, 1, 64, 127, 128, 129, 1000, 65_537, LONG.length].map((length) => LONG.subarray(0, length));

/** Prints what a call gives, or its error's code or, without one, its name. */
async function show(call) {
  try {
    console.log(String(await call()));
  } catch (error) {
    console.log(error.code ?? error.name);
  }
}

const streamOf = (message) => Readable.from([message.subarray(0, 7), message.subarray(7)], { objectMode: false });

for (const message of messages) {
  const integrity = ssri.fromData(message, { algorithms });
  const wrong = ssri.fromData(`${message}.`, { algorithms });
  await show(() => integrity);
  await show(() => integrity.hexDigest());
  await show(() => ssri.fromStream(streamOf(message), { algorithms }));
  await show(() => ssri.checkData(message, integrity));
  await show(() => ssri.checkData(message, wrong));
  await show(() => ssri.checkData(message, wrong, { error: true }));
  await show(() => ssri.checkStream(streamOf(message), integrity));
  await show(() => ssri.checkStream(streamOf(message), wrong));
  await show(() => ssri.checkStream(streamOf(message), integrity, { size: message.length + 1 }));
  await show(() => ssri.create({ algorithms }).update(message.subarray(0, 9)).update(message.subarray(9)).digest());
  const passing = ssri.integrityStream({ algorithms, integrity });
  for (const event of ["integrity", "size", "verified"])
    passing.on(event, (found) => console.log(event, String(found)));
  passing.resume();
  await show(() => streamOf(message).pipe(passing).promise());
}
await show(() => ssri.fromData("abc", { algorithms: [...algorithms, "nonsense"] }));
await show(() => ssri.fromData("é\ud83d", { algorithms, options: ["a"] }));
await show(() => ssri.fromHex("00ff", algorithms[0]));
await show(() =>
  ssri.fromData("abc", { algorithms }).match(ssri.fromData("abc", { algorithms: algorithms.slice(0, 1) })),
);
