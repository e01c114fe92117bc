// A range arrives piece by piece; a flipped bit is found at its piece, and nothing wrong comes out.
import { nodesOf, outboard, rangeOf, VerifiedRangeStream } from "blake-simd/bao";

const PIECE = 16 * 1024;
const PIECES = 64;
const LEVELS = 6;
const PAUSE = 25;

const element = (id) => document.getElementById(id);
const [status, fromField, toField, start] = ["status", "from", "to", "start"].map(element);

const content = Uint8Array.from({ length: PIECES * PIECE }, (_, i) => (i ^ (i >> 7) ^ (i >> 13)) & 255);
const tree = outboard(content, { group: PIECE });
const damaged = new Set([21]);

const buttons = Array.from({ length: PIECES }, (_, index) => {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: String(index) });
  button.addEventListener("click", () => {
    damaged[damaged.has(index) ? "delete" : "add"](index);
    reset();
  });
  return button;
});
element("pieces").append(...buttons);

/** The range in bytes, whatever is in the fields. */
function readRange() {
  const piece = ({ value }) => Math.min(Math.max(Math.trunc(Number(value)) || 0, 0), PIECES - 1);
  const [first, last] = [piece(fromField), piece(toField)].sort((a, b) => a - b);
  return { start: first * PIECE, end: (last + 1) * PIECE };
}

const isInside = (index, range) => index * PIECE >= range.start && index * PIECE < range.end;

function paint(index, state) {
  const button = buttons[index];
  button.className = `${isInside(index, readRange()) ? "in " : ""}${state}`;
  button.setAttribute("aria-pressed", String(damaged.has(index)));
  const outcome = { right: ", verified", wrong: ", refused" }[state] ?? "";
  button.setAttribute("aria-label", `Piece ${index}${damaged.has(index) ? ", one bit flipped" : ""}${outcome}`);
}

function reset() {
  for (const index of buttons.keys()) paint(index, "");
  const flipped = [...damaged].sort((a, b) => a - b).join(", ");
  status.textContent = flipped ? `Damaged, by one bit: ${flipped}` : "No piece is damaged.";
  drawTree(readRange());
}

/** What a server sends: the bytes of the range's pieces, some with a bit flipped, in pieces of any size. */
function sent({ start: from, end: to }) {
  const bytes = content.slice(from, to);
  for (const index of damaged) if (isInside(index, { start: from, end: to })) bytes[index * PIECE - from + 5000] ^= 16;
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((later) => setTimeout(later, PAUSE));
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + 10_000));
      at += 10_000;
    },
  });
}

async function arrive() {
  reset();
  start.disabled = true;
  const range = readRange();
  const reader = sent(rangeOf(tree, range)).pipeThrough(new VerifiedRangeStream(tree, range)).getReader();
  let verified = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const before = Math.floor(verified / PIECE);
      verified += value.length;
      for (let i = before; i < Math.floor(verified / PIECE); i++) paint(range.start / PIECE + i, "right");
      status.textContent = `${verified} bytes verified`;
    }
    status.textContent = `All ${verified} bytes of the range were verified.`;
  } catch (error) {
    if (error.offset === undefined) throw error;
    const wrong = error.offset / PIECE;
    paint(wrong, "wrong");
    status.textContent = `Piece ${wrong} was refused: its bytes, from ${error.offset} on, do not match the digest. The ${verified} bytes before it were verified; nothing after them was passed on.`;
  } finally {
    start.disabled = false;
  }
}

const SVG = "http://www.w3.org/2000/svg";
function shape(name, attributes, needed) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (needed) made.setAttribute("class", "needed");
  return made;
}

/** The tree's nodes in pre-order, which is how an outboard keeps them, with their place and their parent's. */
function preOrder(level = LEVELS, index = 0, parent = undefined) {
  const node = { level, index, x: ((index + 0.5) * 2 ** level * 960) / PIECES, y: 12 + (LEVELS - level) * 27, parent };
  if (level === 0) return [node];
  return [node, ...preOrder(level - 1, 2 * index, node), ...preOrder(level - 1, 2 * index + 1, node)];
}

const NODE = 64;
const nodes = preOrder();
nodes
  .filter(({ level }) => level > 0)
  .forEach((node, place) => {
    node.offset = 8 + place * NODE;
  });

function drawTree(range) {
  const spans = nodesOf({ length: content.length, group: PIECE }, range);
  const isNeeded = ({ level, index, offset }) =>
    level === 0 ? isInside(index, range) : spans.some((span) => offset >= span.start && offset < span.end);
  const lines = nodes
    .filter(({ parent }) => parent)
    .map((node) =>
      shape(
        "line",
        { x1: node.x, y1: node.y, x2: node.parent.x, y2: node.parent.y },
        isNeeded(node) && isNeeded(node.parent),
      ),
    );
  const marks = nodes.map((node) =>
    node.level === 0
      ? shape("rect", { x: node.x - 5, y: node.y, width: 10, height: 12 }, isNeeded(node))
      : shape("circle", { cx: node.x, cy: node.y, r: 4.5 }, isNeeded(node)),
  );
  element("tree").replaceChildren(...lines, ...marks);
  const fetched = spans.reduce((sum, span) => sum + span.end - span.start, 0);
  const { header } = rangeOf(tree, range);
  element("needs").textContent =
    `Of the file: ${range.end - range.start} of ${content.length} bytes (Range: ${header}). Of its tree of hashes: ${fetched} of ${tree.toBytes("bao").length} bytes, and the 32 bytes of the digest, which are trusted.`;
}

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  arrive();
});
element("mend").addEventListener("click", () => {
  damaged.clear();
  reset();
});
for (const field of [fromField, toField]) field.addEventListener("input", reset);
reset();
