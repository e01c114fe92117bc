// node scripts/jsr.mjs: writes what JSR gets to build/jsr, from dist/; `npx jsr publish` there publishes it, with
// --dry-run only checks it. A JSR package has a scope; it is the owner in package.json's `repository`, which
// scripts/address.mjs sets.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const out = join(root, "build/jsr");
const { name, version, license, exports, repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
// Without a repository the package can be checked, and not be published: nobody has this scope.
const scope = repository ? new URL(repository.url.replace(/^git\+/, "")).pathname.split("/")[1] : "unknown-scope";

/** JSR takes types from a comment in each module, and knows no `imports` of package.json. */
function adapt(file, types) {
  const code = readFileSync(file, "utf8").replaceAll('"#index"', '"./index.js"');
  writeFileSync(file, `/* @ts-self-types="./${types}" */\n${code}`);
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
cpSync(join(root, "dist"), join(out, "dist"), {
  recursive: true,
  filter: (path) => !/dist\/(conditional|cli)$/.test(path),
});
for (const file of ["README.md", "LICENSE"]) cpSync(join(root, file), join(out, file));
cpSync(join(root, "docs/pictures"), join(out, "docs/pictures"), { recursive: true });
for (const types of readdirSync(join(out, "dist")).filter((file) => file.endsWith(".d.ts"))) {
  const module = join(out, "dist", types.replace(/\.d\.ts$/, ".js"));
  // Types that several entries share have no code.
  writeFileSync(module, "export {};\n", { flag: "a" });
  adapt(module, types);
}
const entries = Object.entries(exports).filter(([, target]) => target.types);
const manifest = {
  name: `@${scope}/${name}`,
  version,
  license,
  exports: Object.fromEntries(entries.map(([path, target]) => [path, target.default])),
  publish: { include: ["dist", "docs/pictures", "README.md", "LICENSE"] },
};
writeFileSync(join(out, "jsr.json"), `${JSON.stringify(manifest, null, 2)}\n`);
console.log(`build/jsr: ${manifest.name} ${version}`);
