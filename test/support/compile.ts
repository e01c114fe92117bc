// Compiles pieces of TypeScript against the package's declarations, in the strictest mode.
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "./child.js";

export interface Piece {
  readonly name: string;
  readonly code: string;
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
  noEmit: true,
  types: ["node"],
};

export const libraries: Record<string, string[]> = {
  "without the DOM": ["lib.esnext.d.ts"],
  "with the DOM": ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.asynciterable.d.ts"],
};

/** What has been parsed, except pieces. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** Every error in the pieces, or in a declaration of the package's that they use, as "name:line: message". */
export function errorsOf(pieces: readonly Piece[], lib: string[]): string[] {
  const options = { ...OPTIONS, lib };
  const folder = join(ROOT, "build/snippets");
  const files = new Map(pieces.map(({ name, code }) => [join(folder, `${name}.mts`), `${code}\nexport {};\n`]));
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.getSourceFile = (file, language) => {
    const code = files.get(file);
    if (code !== undefined) return ts.createSourceFile(file, code, language);
    if (!parsed.has(file)) parsed.set(file, getSourceFile(file, language));
    return parsed.get(file);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  // Not of the libraries and of Node: theirs takes most of the time, and is not the package's.
  const own = program.getSourceFiles().filter(({ fileName }) => !fileName.includes("/node_modules/"));
  const found = own.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  return [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...found].map(
    ({ file, start = 0, messageText }) => {
      const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
      const name = file?.fileName.replace(`${folder}/`, "").replace(`${ROOT}/`, "") ?? "";
      return `${name}:${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    },
  );
}
