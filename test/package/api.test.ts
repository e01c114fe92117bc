// The public interface, as api.txt lists it: entries, what each exports, signatures and members. A change is a decision that semantic
// versioning has a word in: `npx vitest run test/package/api.test.ts -u` writes the list.
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Exported, readInterface } from "../../scripts/api.mjs";

const indented = (signatures: readonly string[]) => signatures.map((text) => `  ${text.replace(/\s+/g, " ")}`);

function report({ signatures, members, typeOnly }: Exported): string {
  const lines = [
    ...signatures.map((text) => text.replace(/\s+/g, " ")),
    ...members.flatMap((member) => indented(member.signatures)),
  ];
  return `${typeOnly ? "type only: " : ""}${lines.join("\n")}`;
}

it("is what api.txt lists", async () => {
  const entries = readInterface();
  const sections = entries.map(({ name, exports }) => `${name}: ${exports.map((item) => item.name).join(", ")}`);
  const items = new Set(entries.flatMap(({ exports }) => exports.map(report)));
  const text = `${[...sections, ...[...items].sort()].join("\n\n")}\n`;
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "api.txt"));
});
