// What `npm pack` would pack, without scripts, which would build dist/ while other tests read it.
import { execFileSync } from "node:child_process";
import { ROOT } from "./child.ts";

export function packed(): { paths: string[]; unpackedSize: number } {
  const [{ files, unpackedSize }] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      shell: process.platform === "win32",
    }),
  );
  return { paths: files.map(({ path }: { path: string }) => path), unpackedSize };
}
