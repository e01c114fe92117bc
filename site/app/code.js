// The playground's choice as a program for Node or a bundler. A key is only named: it does not belong in a program.
const LONGEST = 60;

function literal({ type, value }) {
  if (type === "hex") return `fromHex(${JSON.stringify(value)})`;
  if (type === "text") return JSON.stringify(value);
  return type === "bigint" ? `${BigInt(value)}n` : String(type === "flag" ? true : Number(value));
}

function optionsCode(given) {
  const entries = given.map((option) => (option.name === "key" ? "key" : `${option.name}: ${literal(option)}`));
  return entries.length > 0 ? `{ ${entries.join(", ")} }` : "";
}

const ENCODED = {
  hex: "toHex(digest)",
  base64: "digest.toBase64()",
  base64url: 'digest.toBase64({ alphabet: "base64url", omitPadding: true })',
};

function fileCode(algorithm, given, encoding) {
  const names = [algorithm, ...(encoding === "hex" ? ["toHex"] : [])];
  const digest = `await digestOf(${[algorithm, "file", optionsCode(given)].filter(Boolean).join(", ")})`;
  return {
    names,
    imports: ['import { digestOf } from "blake-simd/streams";'],
    lines: [
      "// file: a File, a Blob, a Response or a stream",
      `const digest = ${digest};`,
      `console.log(${ENCODED[encoding]});`,
    ],
  };
}

function textCode(algorithm, given, encoding, text) {
  const shown = text.length > LONGEST ? "text" : JSON.stringify(text);
  const options = optionsCode(given);
  const value =
    encoding === "hex"
      ? `${algorithm}.hex(${[shown, options].filter(Boolean).join(", ")})`
      : `${algorithm}.create(${options}).update(${shown}).digest("${encoding}")`;
  return { names: [algorithm], imports: [], lines: [`console.log(${value});`] };
}

/** `given` are the options that are filled in, { name, type, value }; `text` is undefined if files are hashed. */
export function codeOf({ algorithm, given, encoding, text }) {
  if (algorithm === "all") {
    const message = text === undefined || text.length > LONGEST ? "message" : JSON.stringify(text);
    return `import { algorithms } from "blake-simd";

for (const [name, algorithm] of Object.entries(algorithms)) {
  console.log(name, algorithm.hex(${message}));
}`;
  }
  const { names, imports, lines } =
    text === undefined ? fileCode(algorithm, given, encoding) : textCode(algorithm, given, encoding, text);
  if (given.some(({ name, type }) => type === "hex" && name !== "key")) names.push("fromHex");
  const key = given.some(({ name }) => name === "key") ? ["// key: a Uint8Array that only you know"] : [];
  return [`import { ${names.join(", ")} } from "blake-simd";`, ...imports, "", ...key, ...lines].join("\n");
}
