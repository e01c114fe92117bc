// The text of a kernel in a bundle, which decoder.c decodes. Rounds that are written out differ in the numbers of their
// locals, and less in how long ago each one was used: places instead of numbers, apart from the instructions, compress
// better.

const [LOCAL_GET, LOCAL_TEE] = [0x20, 0x22];

// A byte is a digit to the base 90, after a mark if 90 or 180 is to be added. Unlike base64 it keeps equal runs of
// bytes equal. Counted from 248 on, more of the frequent bytes need no mark.
const character = (code) => String.fromCharCode(35 + code);

function digitsOf(byte) {
  const place = (byte + 8) % 256;
  return (place < 90 ? "" : character(89 + Math.floor(place / 90))) + character(place % 90);
}

/** Tells the place of each local among all, the one used last first. */
function placesOfLocals() {
  const used = Array.from({ length: 256 }, (_, local) => local);
  return (local) => {
    const place = used.indexOf(local);
    used.unshift(...used.splice(place, 1));
    return place;
  };
}

/**
 * What follows local.get, local.set or local.tee is at the end, the first one last; so is what follows such bytes
 * elsewhere.
 */
export function toText(bytes) {
  const [others, locals] = [[], []];
  const placeOf = placesOfLocals();
  let isLocal = false;
  for (const byte of bytes) {
    if (isLocal) locals.push(digitsOf(placeOf(byte)));
    else others.push(digitsOf(byte));
    isLocal = !isLocal && byte >= LOCAL_GET && byte <= LOCAL_TEE;
  }
  return others.join("") + [...locals.join("")].reverse().join("");
}
