// A range arrives group by group; a flipped bit is found at its group, and nothing wrong comes out.
import { nodesOf, outboard, rangeOf, VerifiedRangeStream } from "blake-simd/bao";

const GROUP = 16 * 1024;
const GROUPS = 64;
const LEVELS = 6;
const PAUSE = 25;

const element = (id) => document.getElementById(id);
const [status, fromField, toField, start] = ["status", "from", "to", "start"].map(element);

const content = Uint8Array.from({ length: GROUPS * GROUP }, (_, i) => (i ^ (i >> 7) ^ (i >> 13)) & 255);
const tree = outboard(content, { group: GROUP });
const damaged = new Set();

const buttons = Array.from({ length: GROUPS }, (_, index) => {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: String(index) });
  button.addEventListener("click", () => {
    damaged[damaged.has(index) ? "delete" : "add"](index);
    reset();
  });
  return button;
});
element("groups").append(...buttons);

/** The range in bytes, whatever is in the fields. */
function readRange() {
  const group = ({ value }) => Math.min(Math.max(Math.trunc(Number(value)) || 0, 0), GROUPS - 1);
  const [first, last] = [group(fromField), group(toField)].sort((a, b) => a - b);
  return { start: first * GROUP, end: (last + 1) * GROUP };
}

const isInside = (index, range) => index * GROUP >= range.start && index * GROUP < range.end;

function paint(index, state) {
  const button = buttons[index];
  button.className = `${isInside(index, readRange()) ? "in " : ""}${state}`;
  button.setAttribute("aria-pressed", String(damaged.has(index)));
  const said = { right: ", verified", wrong: ", refused" }[state] ?? "";
  button.setAttribute("aria-label", `Group ${index}${damaged.has(index) ? ", one bit flipped" : ""}${said}`);
}

function reset() {
  for (const index of buttons.keys()) paint(index, "");
  status.textContent = "";
  drawTree(readRange());
}

/** What a server sends: the bytes of the range's groups, some with a bit flipped, in pieces of any size. */
function sent({ start: from, end: to }) {
  const bytes = content.slice(from, to);
  for (const index of damaged) if (isInside(index, { start: from, end: to })) bytes[index * GROUP - from + 5000] ^= 16;
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
      const before = Math.floor(verified / GROUP);
      verified += value.length;
      for (let i = before; i < Math.floor(verified / GROUP); i++) paint(range.start / GROUP + i, "right");
      status.textContent = `${verified} bytes verified`;
    }
    status.textContent = `All ${verified} bytes of the range were verified.`;
  } catch (error) {
    if (error.offset === undefined) throw error;
    const wrong = error.offset / GROUP;
    paint(wrong, "wrong");
    status.textContent = `Group ${wrong} was refused: its bytes, from ${error.offset} on, are not those of the digest. The ${verified} bytes before it were verified; nothing after them was passed on.`;
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
  const node = { level, index, x: ((index + 0.5) * 2 ** level * 960) / GROUPS, y: 12 + (LEVELS - level) * 27, parent };
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
  const spans = nodesOf({ length: content.length, group: GROUP }, range);
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
    `Of the file: ${range.end - range.start} of ${content.length} bytes (Range: ${header}). Of its outboard: ${fetched} of ${tree.toBytes("bao").length} bytes, and the 32 bytes of the root, which are trusted.`;
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
