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

/** Every error in the pieces, or in a declaration that they use, as "name:line: message". */
export function errorsOf(pieces: readonly Piece[], lib: string[]): string[] {
  const options = { ...OPTIONS, lib };
  const folder = join(ROOT, "build/snippets");
  const files = new Map(pieces.map(({ name, code }) => [join(folder, `${name}.mts`), `${code}\nexport {};\n`]));
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.getSourceFile = (file, language) => {
    const code = files.get(file);
    return code === undefined ? getSourceFile(file, language) : ts.createSourceFile(file, code, language);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    const name = file?.fileName.replace(`${folder}/`, "").replace(`${ROOT}/`, "") ?? "";
    return `${name}:${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}
