// A registry that has the packed tarball as if it were published, so that the documented commands work as they are
// written. For every other package it redirects to the registry that npm is set to.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** What a registry says of the package: https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md */
function packument(manifest, tarball, url) {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const shasum = createHash("sha1").update(tarball).digest("hex");
  const dist = { tarball: `${url}/${name}.tgz`, integrity, shasum };
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
  };
}

/** Starts it for a tarball; the environment makes npm, Bun and Deno use it. */
export async function startRegistry(tarballPath) {
  const tarball = readFileSync(tarballPath);
  const manifest = JSON.parse(
    execFileSync("tar", ["-xOzf", tarballPath, "package/package.json"], { encoding: "utf8" }),
  );
  const others = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim().replace(/\/$/, "");
  const server = createServer((request, response) => {
    if (request.url === `/${manifest.name}`) response.end(JSON.stringify(packument(manifest, tarball, url)));
    else if (request.url === `/${manifest.name}.tgz`) response.end(tarball);
    else response.writeHead(302, { Location: others + request.url }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  const environment = { npm_config_registry: url, NPM_CONFIG_REGISTRY: url, BUN_CONFIG_REGISTRY: url };
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, environment, stop };
}
