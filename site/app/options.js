// The options that each algorithm has, as fields of a form.
const length = (hint) => ({ name: "length", label: "Length, in bytes", hint, type: "number" });
const key = (hint) => ({ name: "key", label: "Key, in hexadecimal", hint, type: "hex" });
const salt = (hint) => ({ name: "salt", label: "Salt, in hexadecimal", hint, type: "hex" });
const personal = (hint) => ({ name: "personal", label: "Personalization, as text", hint, type: "text" });
const number = (name, label, hint, type = "number") => ({ name, label, hint, type });

const tree = [
  number("fanout", "Fanout", "0 to 255, 1 by default"),
  number("maxDepth", "Maximum depth", "1 to 255, 1 by default"),
  number("maxLeafLength", "Maximum leaf length, in bytes", "0 by default"),
  number("nodeOffset", "Node offset", "0 by default", "bigint"),
  number("nodeDepth", "Node depth", "0 to 255, 0 by default"),
  number("innerHashLength", "Inner hash length, in bytes", "0 by default"),
  { name: "lastNode", label: "Last node", type: "flag" },
];

const FIELDS = {
  blake224: [salt("16 bytes")],
  blake256: [salt("16 bytes")],
  blake384: [salt("32 bytes")],
  blake512: [salt("32 bytes")],
  blake2b: [length("1 to 64"), key("1 to 64 bytes"), salt("up to 16 bytes"), personal("up to 16 bytes"), ...tree],
  blake2s: [length("1 to 32"), key("1 to 32 bytes"), salt("up to 8 bytes"), personal("up to 8 bytes"), ...tree],
  blake2bp: [length("1 to 64"), key("1 to 64 bytes")],
  blake2sp: [length("1 to 32"), key("1 to 32 bytes")],
  blake2xb: [length("1 to 2^32 - 2"), key("1 to 64 bytes"), salt("up to 16 bytes"), personal("up to 16 bytes")],
  blake2xs: [length("1 to 65534"), key("1 to 32 bytes"), salt("up to 8 bytes"), personal("up to 8 bytes")],
  blake3: [
    length("32 by default"),
    key("32 bytes"),
    { name: "context", label: "Context, as text", hint: "instead of a key", type: "text" },
  ],
};

/** The fields of an algorithm: name, label, hint and type ("number", "bigint", "hex", "text" or "flag"). */
export const optionsOf = (algorithm) => FIELDS[algorithm];
