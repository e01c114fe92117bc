// The contract of sources: each kind, by each call that reads it, with an end by error, by a signal and by a throw at
// each read. What fails is cancelled, once and with the reason, and unlocked; no listener is left.
import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { pool, reads, settled } from "../support/reads.ts";
import { expectedOf, Feed, feeds, type Group, type Kind, messageOf, open } from "../support/sources.ts";
import { forbidUnhandledRejections } from "../support/streams.ts";

forbidUnhandledRejections();
afterAll(() => pool.close());

const SIZES = [10, 1024, 1025, 10, 65536];
const NUMBERS = [...SIZES.keys(), SIZES.length].map((index) => index + 1);
const reason = new Error("enough");
const fail = () => {
  throw reason;
};

/** How a read is ended, at its number. */
const ends: Record<string, { needs?: "signal" | "progress"; last: number; noted: "cancelled" | "failed" }> = {
  "an error": { last: SIZES.length + 1, noted: "failed" },
  "an abort": { needs: "signal", last: SIZES.length, noted: "cancelled" },
  "a throw in onProgress": { needs: "progress", last: SIZES.length, noted: "cancelled" },
};

/** What a kind has noted once a read has ended. */
const wanted = (noted: Kind["cancelled"] | Kind["failed"], ended: unknown[]): unknown[] =>
  noted === "reason" ? [reason] : noted === "once" ? [ended[0]] : [];

/** Cancelling a branch waits for its twin, and so does a pipe from it. */
const pipes = (takes: readonly Group[]) => !takes.includes("iterable");

// A coder's own error is another one, and comes late.
const kinds = Object.entries(feeds).filter(([name]) => !/CompressionStream/.test(name));

describe.each(kinds)("%s", (kindName, kind) => {
  const rows = Object.entries(reads)
    .filter(([, { takes }]) => takes.includes(kind.group))
    .flatMap(([name, read]) =>
      Object.entries(ends)
        .filter(([, { needs }]) => !needs || (read[needs] && !(kind.cancelled === "never" && pipes(read.takes))))
        // Node 20's own TransformStream gives its source another reason: "transformAlgorithm is not a function".
        .filter(([how]) => !(/TransformStream/.test(kindName) && how === "an abort" && /Stream$/.test(name)))
        .map(([how, end]) => [name, how, read, end] as const),
    );

  it.each(rows)("%s, ended by %s", async (name, how, { run }, { last, noted }) => {
    const failures: string[] = [];
    for (const number of NUMBERS.filter((each) => each <= last)) {
      const controller = new AbortController();
      const feed = new Feed(SIZES, (read) => {
        if (read !== number) return;
        if (how === "an error") fail();
        if (how === "an abort") controller.abort(reason);
      });
      let calls = 0;
      const onProgress = () => void (++calls === number && how.startsWith("a throw") && fail());
      const source = await open(kind, feed);
      const expected = { digest: expectedOf(SIZES), message: messageOf(SIZES) };
      const outcome = await settled(run(source, { signal: controller.signal, onProgress }, expected)).then(
        () => "a digest",
        (error) => error,
      );
      for (let turn = 0; turn < 4; turn++) await setImmediate();
      // Something between may gather chunks, or have read to the end before.
      const isWhole = how.startsWith("a throw") && calls < number;
      const isOver = noted === "cancelled" && feed.over && feed.ended.length === 0;
      const right = isWhole || isOver ? [] : wanted(kind[noted], feed.ended);
      const stream = kind.group === "body" ? (source as Response).body : (source as ReadableStream);
      if (outcome !== (isWhole ? "a digest" : reason)) failures.push(`read ${number}: ${outcome}`);
      if (!isDeepStrictEqual(feed.ended, right)) failures.push(`read ${number}: ended ${feed.ended.length} times`);
      if (stream?.locked) failures.push(`read ${number}: locked`);
      // A pipe's own listeners are the engine's.
      const listeners = /Of/.test(name) ? getEventListeners(controller.signal, "abort").length : 0;
      if (listeners > 0) failures.push(`read ${number}: a listener is left`);
    }
    expect(failures.join("; ")).toBe("");
  });
});
