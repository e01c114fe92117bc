// Node for other processors under QEMU, and for Windows under Wine, as ../emulated/package.json has them.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { processHost } from "./processes.mjs";

const folder = join(import.meta.dirname, "../emulated");
const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const installed = (path) => join(folder, "node_modules", path);

const commandOf = (name, emulator, libraries, ...options) => [
  emulator,
  ...options,
  "-L",
  `/usr/${libraries}`,
  installed(`${name}/bin/node`),
];

function processor(name, emulator, libraries) {
  const version = dependencies[name].split("@")[1];
  const command = commandOf(name, emulator, libraries);
  return { name: `Node ${version.split(".")[0]}, ${name}`, version, command, brief: true };
}

/** Node on each processor, which takes ten times as long as on this one. */
export const processors = [
  processor("arm64", "qemu-aarch64", "aarch64-linux-gnu"),
  processor("armv7", "qemu-arm", "arm-linux-gnueabihf"),
  processor("ppc64le", "qemu-ppc64le", "powerpc64le-linux-gnu"),
  processor("s390x", "qemu-s390x", "s390x-linux-gnu"),
];

/** Commands of Nodes for ARM64 on a processor without later extensions: V8's code on it is what all others get, too. */
export const arm64 = ["arm64-22", "arm64"].map((name) =>
  commandOf(name, "qemu-aarch64", "aarch64-linux-gnu", "-cpu", "neoverse-n1"),
);

/** Windows in a folder of its own, and none of its processes after the run. */
function onWindows() {
  const version = dependencies.windows.split("@")[1];
  const host = processHost({ name: "Node 20, Windows", command: ["wine", installed("windows/bin/node.exe")], version });
  return {
    ...host,
    run(context) {
      // Wine says that it is Windows 7.
      const wine = { WINEPREFIX: context.scratch("wine"), WINEDEBUG: "-all", NODE_SKIP_PLATFORM_CHECK: "1" };
      const env = { ...process.env, ...wine };
      try {
        return host.run(context, env);
      } finally {
        execFileSync("wineserver", ["--kill", "--wait"], { env });
      }
    },
  };
}

export const emulated = [...processors.map(processHost), onWindows()];
