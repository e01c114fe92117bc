// blake-simd/hmac.
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { expand as nobleExpand, hkdf as nobleHkdf } from "@noble/hashes/hkdf.js";
import { hmac as nobleHmac } from "@noble/hashes/hmac.js";
import type { Algorithm } from "blake-simd";
import { concat } from "../bao.ts";
import { type Arrays, arraysOf, type Call, HEAD, type Library, of, SHORT, text, updated } from "./call.ts";

export function hmacCalls(): Call[] {
  return [
    { subject: of("blake2s"), noble: nobleBlake2s },
    { subject: of("blake2b"), noble: nobleBlake2b },
  ].flatMap(({ subject, noble }) => {
    const own = (library: Library) => library.algorithms[subject.name] as Algorithm<never>;
    const mac = (a: Arrays) => nobleHmac(noble, a.key!, a.message!);
    const calls: [name: string, lengths: Record<string, number>, run: Call["run"], expected: Call["expected"]][] = [
      ...[20, 300].map((key): (typeof calls)[0] => [
        `hmac with a key of ${key} bytes`,
        { key, message: SHORT },
        (library, a) => library.hmacs.hmac(own(library), a.key!, a.message!),
        mac,
      ]),
      [
        "hmac.create",
        { key: 20, message: SHORT },
        (library, a) => {
          const made = library.hmacs.hmac.create(own(library), a.key!);
          return updated(
            made,
            a.message!,
            (each) => each.digest(),
            (each) => each.digest(),
          );
        },
        (a) => nobleHmac(noble, a.key!, concat([text(HEAD), a.message!])),
      ],
      [
        "hkdf",
        { material: 40, salt: 20, info: 50 },
        (library, { material, ...rest }, code) =>
          library.hmacs.hkdf(own(library), material!, code.options({ ...rest, length: 100 })),
        (a) => nobleHkdf(noble, a.material!, a.salt, a.info, 100),
      ],
      [
        "hkdf.expand",
        { key: 64, info: 50 },
        (library, a) => library.hmacs.hkdf.expand(own(library), a.key!, a.info, 100),
        (a) => nobleExpand(noble, a.key!, a.info, 100),
      ],
      [
        "nobleHash",
        { message: SHORT },
        (library, a) => library.hmacs.nobleHash(own(library))(a.message!),
        (a) => noble(a.message!),
      ],
    ];
    return calls.map(([name, lengths, run, expected]) => ({
      name: `${name}, ${subject.name}`,
      subject,
      arrays: arraysOf(lengths),
      run,
      expected,
    }));
  });
}
