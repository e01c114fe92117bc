// What @vercel/nft finds that a program needs, alone in another folder, as Vercel and Next.js's `output: "standalone"`
// deploy it.
import { cpSync, readdirSync } from "node:fs";
import { nodeFileTrace } from "@vercel/nft";

const base = `${import.meta.dirname}/..`;
const dist = `${base}/node_modules/blake-simd/dist`;
const all = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => /\.c?js$/.test(name));
await nodeFileTrace(
  all.map((name) => `${dist}/${name}`),
  { base },
);

const { fileList } = await nodeFileTrace([`${import.meta.dirname}/print.mjs`], { base });
for (const file of fileList) cpSync(`${base}/${file}`, `${base}/deployed/${file}`);
