// verified: a Response whose body is the expected one.
import type { Algorithm } from "../engine/algorithm.js";
import { requireAlgorithm, requireArguments, wrongKind } from "../input/errors.js";
import { boolean, NO_OPTIONS, without } from "../input/options.js";
import { requireUnread } from "../sources/bodies.js";
import { holdsOptions, type ResponseOptions, refuseFailed } from "./digest-of.js";
import type { Expected } from "./expected.js";
import { HashingTransformStream } from "./hashing-transform.js";
import { digestAndChecker } from "./verify-stream.js";

const VERIFIED = "verified";

/**
 * Returns a Response whose body is verified while it is read, as a {@link VerifyStream} does it: reading it to the end
 * fails with an {@link IntegrityError} unless it is the expected one. The error names the response's URL, without its
 * query. Status and headers are the response's, without `Content-Encoding` and `Content-Length` if its body was
 * encoded, since `fetch` has decoded it; `url` is empty, as it is for every Response that a program makes. A response
 * without a body, such as one to HEAD or with status 204, is verified at once, as nothing, and keeps all headers.
 *
 * A `Response` that is not `ok` is refused, and its body left unread, unless `requireOk` is false.
 *
 * @param expected the digest of the body, in any form of {@link Expected}
 * @throws TypeError for a value that is not a Response or not an algorithm, a body that was used, is locked or is
 *   hidden, or an expected digest of the wrong type; RangeError for a status outside 200 to 299, or an expected digest
 *   of a different length; {@link IntegrityError} if there is no body, and the digest is not that of nothing; what the
 *   algorithm's `create` throws for its options
 * @example
 * await verified(blake3, response, "ea8f163d…").text(); // rejects unless the body is the expected one
 */
export function verified<Options extends object>(
  algorithm: Algorithm<Options>,
  response: Response,
  expected: Expected,
  options?: Options & ResponseOptions,
): Response {
  requireArguments(VERIFIED, arguments.length, 4);
  requireAlgorithm(VERIFIED, algorithm, "blake3");
  requireResponse(response);
  const { requireOk } = holdsOptions(options) ? options : (NO_OPTIONS as ResponseOptions);
  if (requireOk === undefined || boolean(VERIFIED, "requireOk", requireOk))
    refuseFailed(VERIFIED, "response", response);
  requireUnread(VERIFIED, "response", response);
  const { body, status, statusText, headers } = response;
  if (body !== null && typeof body?.pipeThrough !== "function") {
    throw wrongKind(VERIFIED, "body", "a ReadableStream or null", body);
  }
  if (body?.locked) throw new TypeError(`${VERIFIED}: response must have a body that is not locked, got a locked one`);
  const own = holdsOptions(options) ? without(options, ["requireOk"]) : options;
  const [digest, requireExpected] = digestAndChecker(VERIFIED, algorithm, expected, own, sourceOf(response));
  try {
    const stream = body && new HashingTransformStream<Uint8Array<ArrayBuffer>>(digest, requireExpected);
    if (!stream) requireExpected(digest.digest());
    // Before the body is locked, since it may throw.
    const made = new Response(stream?.readable ?? null, { status, statusText, headers });
    if (stream) {
      removeCoding(made.headers);
      body.pipeThrough(stream);
    } else digest.dispose();
    return made;
  } catch (error) {
    digest.dispose();
    throw error;
  }
}

/** Removes what is true only of an encoded body, since it is read decoded. */
function removeCoding(headers: Headers): void {
  if (!headers.has("content-encoding")) return;
  headers.delete("content-encoding");
  headers.delete("content-length");
}

function requireResponse(response: unknown): void {
  const { status, bodyUsed } = Object(response) as Partial<Response>;
  if (typeof status !== "number" || typeof bodyUsed !== "boolean") {
    const advice = "await what fetch returns, and pipe other bodies through a VerifyStream";
    throw wrongKind(VERIFIED, "response", "a Response", response, advice);
  }
  if (status === 0)
    throw new TypeError(`${VERIFIED}: response must be a Response that can be read, got one with status 0`);
}

/** What an error says of where a response is from. A query may have a signature, which nobody else should read. */
function sourceOf({ url }: Response): string | undefined {
  return typeof url === "string" && url !== "" ? url.replace(/[?#].*/s, "").slice(0, MOST_OF_URL) : undefined;
}

const MOST_OF_URL = 2000;
