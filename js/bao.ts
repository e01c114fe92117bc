// `blake-simd/bao`: verified streaming (Bao), which yields no byte before it is verified.
export type { BaoFormat } from "./bao/arguments.js";
export { type BaoDecodeOptions, BaoDecodeStream } from "./bao/decode.js";
export { type BaoEncodeOptions, BaoEncodeStream } from "./bao/encode.js";
export { IntegrityError, type IntegrityReason } from "./bao/errors.js";
export { type FetchVerifiedOptions, fetchVerified } from "./bao/fetch.js";
export type { OutboardFormat } from "./bao/order.js";
export {
  Outboard,
  type OutboardBytesOptions,
  type OutboardOptions,
  type OutboardPart,
} from "./bao/outboard.js";
export {
  type OutboardGroupsOptions,
  type OutboardOfOptions,
  OutboardStream,
  outboard,
  outboardOf,
  outboardOfGroups,
} from "./bao/outboard-of.js";
export {
  nodesOf,
  type OutboardShape,
  type RoundedRange,
  rangeOf,
  type TreeShape,
  VerifiedRangeStream,
} from "./bao/range.js";
export type { RemoteOutboard } from "./bao/remote-nodes.js";
export { ResponseError, type ResponseReason } from "./bao/responses.js";
export type { ContentRange, ContentRanges, Span } from "./bao/selection.js";
