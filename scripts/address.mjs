// node scripts/address.mjs URL: writes the project's public address, such as https://HOST/OWNER/NAME, into
// package.json, its one place, and into what depends on it: `homepage`, `bugs`, the links of PLACES, and the pictures
// of README.md, which npm shows only by their whole address. Without a URL it writes again what package.json has. The
// site reads package.json.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = process.env.ADDRESS_ROOT ?? join(import.meta.dirname, "..");
const manifestFile = join(root, "package.json");
const manifest = JSON.parse(readFileSync(manifestFile, "utf8"));
const url = process.argv[2]?.replace(/(\.git)?\/?$/, "") ?? manifest.repository?.url.replace(/^git\+|\.git$/g, "");
if (!url) throw new Error("package.json has no address yet: node scripts/address.mjs https://HOST/OWNER/NAME");
if (!/^https:\/\/[^/]+\/[^/]+\/[^/]+$/.test(url)) throw new Error(`an address is https://HOST/OWNER/NAME, got ${url}`);

/** The three fields after `license`, as npm's own manifests have them. */
function withAddress({ repository, homepage, bugs, ...rest }) {
  const fields = Object.entries(rest);
  const place = fields.findIndex(([name]) => name === "license") + 1;
  const address = {
    repository: { type: "git", url: `git+${url}.git` },
    homepage: `${url}#readme`,
    bugs: { url: `${url}/issues` },
  };
  return Object.fromEntries([...fields.slice(0, place), ...Object.entries(address), ...fields.slice(place)]);
}

/** File -> what is replaced, with an address or without, by what. */
const PLACES = {
  "README.md": [
    [/(src|srcset)="(?:[^"]*\/raw\/HEAD\/)?(docs\/pictures\/[^"]+)"/g, `$1="${url}/raw/HEAD/$2"`],
    [/(\[Security\]\(SECURITY\.md\)).*$/m, `$1 · [Source](${url}) · [Issues](${url}/issues)`],
  ],
  "SECURITY.md": [[/\[?security advisories(\]\(.*?\))?/, `[security advisories](${url}/security/advisories/new)`]],
  "docs/speed.md": [[/open (an issue|\[an issue\]\(.*?\))/, `open [an issue](${url}/issues)`]],
};

writeFileSync(manifestFile, `${JSON.stringify(withAddress(manifest), null, 2)}\n`);
for (const [name, changes] of Object.entries(PLACES)) {
  const file = join(root, name);
  const text = readFileSync(file, "utf8");
  for (const [pattern] of changes) if (!text.match(pattern)) throw new Error(`${name} has no place for ${pattern}`);
  writeFileSync(
    file,
    changes.reduce((changed, [pattern, link]) => changed.replace(pattern, link), text),
  );
}
