// Saved states taken apart and put together as docs/states.md describes them, without the package's own code.
import { crc32 } from "node:zlib";

interface Fields {
  version: number;
  name: string;
  digestLength: bigint;
  parameters: Uint8Array;
  state: Uint8Array;
}

const HEADER = 32;
const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export function parse(saved: Uint8Array): Fields {
  const header = view(saved);
  const split = HEADER + header.getUint32(24, true);
  return {
    version: header.getUint8(7),
    name: String.fromCharCode(...saved.subarray(8, 16)).replace(/\0+$/, ""),
    digestLength: header.getBigUint64(16, true),
    parameters: saved.slice(HEADER, split),
    state: saved.slice(split, split + header.getUint32(28, true)),
  };
}

export function build({ version, name, digestLength, parameters, state }: Fields): Uint8Array {
  const saved = new Uint8Array(HEADER + parameters.length + state.length + 4);
  saved.set(new TextEncoder().encode(`BLAKEST${String.fromCharCode(version)}${name}`));
  view(saved).setBigUint64(16, digestLength, true);
  view(saved).setUint32(24, parameters.length, true);
  view(saved).setUint32(28, state.length, true);
  saved.set(parameters, HEADER);
  saved.set(state, HEADER + parameters.length);
  return seal(saved);
}

/** A saved state as it is saved today: of BLAKE2b and BLAKE2s with all of a key's field, whose last zeros were once left out. */
export function savedToday(saved: Uint8Array): Uint8Array {
  const fields = parse(saved);
  const kept = { blake2b: 128, blake2s: 64 }[fields.name] ?? 0;
  if (fields.parameters[1] === 0 || fields.parameters.length >= kept) return saved;
  const parameters = new Uint8Array(kept);
  parameters.set(fields.parameters);
  return build({ ...fields, parameters });
}

/** Gives bytes that have been changed the checksum that they then need. */
export function seal(saved: Uint8Array): Uint8Array {
  const end = saved.length - 4;
  view(saved).setUint32(end, crc32(saved.subarray(0, end)), true);
  return saved;
}

/** A copy with some fields of the kernel's state changed. */
export function withState(saved: Uint8Array, change: (state: DataView, bytes: Uint8Array) => void): Uint8Array {
  const fields = parse(saved);
  change(view(fields.state), fields.state);
  return build(fields);
}
