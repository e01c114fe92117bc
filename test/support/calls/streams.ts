// blake-simd/streams.
import { same } from "../messages.ts";
import {
  type Arrays,
  arraysOf,
  type Bytes,
  blake3,
  bytesFor,
  type Call,
  digest,
  type Library,
  messageHashed,
  SHORT,
  through,
} from "./call.ts";

export function streamCalls(): Call[] {
  const message = bytesFor("message", SHORT);
  const own = (library: Library) => library.algorithms.blake3!;
  const arrays = arraysOf({ message: SHORT, key: 32 });
  const calls: [name: string, run: Call["run"], arrays?: Arrays, expected?: Call["expected"]][] = [
    [
      "HashStream",
      async ({ streams, ...library }, a, code) => {
        const stream = new streams.HashStream<Bytes, object>(own(library as Library), code.options({ key: a.key! }));
        await through(stream, a.message!);
        return stream.digest;
      },
    ],
    [
      "DigestStream",
      async ({ streams, ...library }, a, code) => {
        const stream = new streams.DigestStream(own(library as Library), code.options({ key: a.key! }));
        const writer = stream.getWriter();
        await Promise.all([writer.write(a.message!), writer.close()]);
        return stream.digest;
      },
    ],
    [
      "VerifyStream",
      async ({ streams, ...library }, a) => {
        const stream = new streams.VerifyStream<Bytes>(own(library as Library), a.expected!);
        await through(stream, a.message!);
        return stream.digest;
      },
      { message, expected: digest(blake3, message) },
      (a) => (same(digest(blake3, a.message!), a.expected!) ? a.expected! : undefined),
    ],
    [
      "digestOf bytes",
      (library, a, code) => library.streams.digestOf(own(library), a.message!, code.options({ key: a.key! })),
    ],
    [
      "digestOf a list",
      (library, a, code) =>
        library.streams.digestOf(own(library), code.list([a.message!]), code.options({ key: a.key! })),
    ],
  ];
  return calls.map(([name, run, other = arrays, expected = messageHashed]) => ({
    name,
    subject: blake3,
    arrays: other,
    run,
    expected,
  }));
}
