// Responses and Requests, and their bodies as sources.
import type { Chunks } from "./chunks.js";
import { wholeChunks } from "./iterables.js";
import { isStream, streamChunks } from "./streams.js";

/** @throws TypeError for a body that was used, or that is hidden */
export function requireUnread(name: string, argument: string, source: Response | Request): void {
  if (source.bodyUsed) throw wasUsed(name, argument, "status" in source ? "Response" : "Request");
  // The body of an opaque response is hidden, not empty.
  if ("type" in source && /^(opaque|error)/.test(source.type)) {
    throw new TypeError(`${name}: ${argument} must be a Response that can be read, got one of type ${source.type}`);
  }
}

/** Returns the error for a source whose bytes somebody else has had. */
export function wasUsed(name: string, argument: string, kind: string): TypeError {
  return new TypeError(`${name}: ${argument} must be a ${kind} with an unread body, got one that was used`);
}

// Recognized by its members, as a stream is.
export const isBody = (source: object): source is Response | Request =>
  "bodyUsed" in source && typeof Reflect.get(source, "arrayBuffer") === "function";

/**
 * The chunks of a body.
 *
 * @param open opens a body that is no ReadableStream, as node-fetch's
 * @throws TypeError for a body that was used, or that is locked or hidden
 */
export async function bodyChunks(
  name: string,
  source: Response | Request,
  open: (body: unknown) => Chunks | Promise<Chunks>,
): Promise<Chunks> {
  requireUnread(name, "source", source);
  const { body } = source;
  // A body that is null, or in Firefox, which has no Request.body.
  if (!body) return wholeChunks(await source.arrayBuffer());
  const chunks = isStream(body) ? streamChunks(name, body) : await open(body);
  return { ...chunks, total: chunks.total ?? contentLength(source) };
}

/** A body's length, if its header counts the bytes that will be read: not encoded, and not hidden by CORS. */
function contentLength(source: Response | Request): number | undefined {
  const { headers } = source;
  const hidden = "type" in source && source.type === "cors";
  if (hidden || !headers?.has("content-length") || headers.has("content-encoding")) return undefined;
  const length = Number(headers.get("content-length"));
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined;
}
