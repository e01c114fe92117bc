// Text is hashed as its UTF-8, as TextEncoder makes it: unpaired surrogates become U+FFFD, and no character is torn at
// the end of an input area. splits.test.ts has random text.
import { expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { AREA, expectBytes } from "../support/messages.ts";
import { eachSubject, expected, type Subject } from "../support/subjects.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

function check(subject: Subject, text: string): void {
  const { algorithm } = subject;
  const wanted = algorithm(utf8(text));
  if (text.length < 1000) expectBytes(wanted, expected(subject, utf8(text)));
  expectBytes(algorithm(text), wanted);
  expectBytes(algorithm.into(text, new Uint8Array(wanted.length)), wanted);
  expectBytes(algorithm.create().update(text).digest(), wanted);
}

const SHORT = [
  "",
  "a",
  "The quick brown fox",
  "\0\x7f",
  "é",
  "ß\u07ff\u0800\uffff",
  "漢字かな",
  "😀\u{10ffff}",
  "e\u0301 is not é",
  "\ufeffbyte order mark",
];

const UNPAIRED = ["\ud83d", "\ude00", "\ude00\ud83d", "a\ud800b", "\ud800\ud800\udc00", "\udfff".repeat(50), "x\udbff"];

// One character for each length in UTF-8, and one that is replaced.
const CHARACTERS = ["a", "é", "漢", "😀", "\ud83d"];

eachSubject((subject) => {
  const { algorithm } = subject;

  eachBackend(() => {
    it("text of every width of character", () => {
      for (const text of [...SHORT, ...UNPAIRED]) {
        check(subject, text);
        check(subject, text.repeat(40));
      }
    });

    it("a character at the end of the input area, at each of its bytes", () => {
      for (const character of CHARACTERS) {
        for (const before of [5, 4, 3, 2, 1, 0]) check(subject, `${"a".repeat(AREA - before)}${character}zz`);
      }
    });

    it("a character at the end of what an earlier update left free", () => {
      for (const character of CHARACTERS) {
        for (const before of [4, 3, 2, 1, 0]) {
          const bytes = new Uint8Array(AREA - before).fill(97);
          const wanted = algorithm(utf8(`${"a".repeat(AREA - before)}${character}zz`));
          expectBytes(algorithm.create().update(bytes).update(`${character}zz`).digest(), wanted);
        }
      }
    });

    it("longer than several input areas, of each width", () => {
      for (const character of CHARACTERS.slice(2)) check(subject, `${character.repeat(AREA + 1000)}end`);
      check(subject, `a${"é漢😀".repeat(AREA / 4)}`);
    });

    it("fewer characters than an input area has bytes, but more bytes", () => {
      for (const length of [AREA / 3 - 1, AREA / 3, AREA / 3 + 1, AREA]) check(subject, "漢".repeat(length));
    });

    it("a pair of surrogates in two updates is two unpaired ones", () => {
      const hasher = algorithm.create().update("\ud83d").update("\ude00");
      expectBytes(hasher.digest(), expected(subject, utf8("\ufffd\ufffd")));
      expect(hasher.bytesHashed).toBe(6n);
    });
  }, subject.name);
});
