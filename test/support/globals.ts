// The globals that the package's code reads, and what it compares by `instanceof`, as the compiler sees them.
import { relative } from "node:path";
import ts from "typescript";
import { ROOT } from "./child.ts";

interface Use {
  /** The global's name, or the class that a value is compared with. */
  readonly name: string;
  /** The file in js/. */
  readonly file: string;
  /** Whether ECMAScript has it, and not only environments. */
  readonly isLanguage: boolean;
  readonly isInstanceof: boolean;
  /** Whether it is read by a function, and not as the module is evaluated. */
  readonly isLate: boolean;
}

const { config } = ts.readConfigFile(`${ROOT}/tsconfig.json`, ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();

/** What a name stands for, if it is a value. */
function symbolOf(node: ts.Identifier): ts.Symbol | undefined {
  const { parent } = node;
  if (ts.isShorthandPropertyAssignment(parent)) return checker.getShorthandAssignmentValueSymbol(parent);
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    return parent.expression.getText() === "globalThis" ? checker.getSymbolAtLocation(node) : undefined;
  }
  const isKey = (ts.isPropertyAssignment(parent) || ts.isClassElement(parent)) && parent.name === node;
  const isRenamed = ts.isBindingElement(parent) && parent.propertyName === node;
  return isKey || isRenamed ? undefined : checker.getSymbolAtLocation(node);
}

/** The libraries of the compiler that declare a symbol; undefined for one of the package. */
function librariesOf(symbol: ts.Symbol | undefined): string[] | undefined {
  const files = symbol?.declarations?.map((declaration) => declaration.getSourceFile()) ?? [];
  const isForeign = files.length > 0 && files.every(({ fileName }) => fileName.includes("/node_modules/"));
  return isForeign ? files.map(({ fileName }) => fileName) : undefined;
}

function* usesIn(node: ts.Node, file: string, isLate = false): Generator<Use> {
  if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isImportDeclaration(node)) return;
  if (ts.isHeritageClause(node) && node.token === ts.SyntaxKind.ImplementsKeyword) return;
  if (ts.isIdentifier(node)) {
    const libraries = librariesOf(symbolOf(node));
    if (libraries && node.text !== "undefined" && node.text !== "globalThis") {
      const { parent } = node;
      const isInstanceof =
        ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;
      const isLanguage = libraries.some((each) => /\/lib\.es\d+/.test(each));
      yield { name: node.text, file, isLanguage, isInstanceof: isInstanceof && parent.right === node, isLate };
    }
  }
  if (ts.isCallExpression(node) && node.expression.getText() === "atImport") {
    yield { name: (node.arguments[0] as ts.StringLiteral).text, file, isLanguage: false, isInstanceof: false, isLate };
  }
  // What an argument of readGlobal reads is read at once.
  const isFunction = ts.isFunctionLike(node) || ts.isPropertyDeclaration(node);
  const isAtOnce =
    ts.isCallExpression(node.parent ?? node) &&
    (node.parent as ts.CallExpression).expression.getText() === "readGlobal";
  for (const child of node.getChildren()) yield* usesIn(child, file, isLate || (isFunction && !isAtOnce));
}

/** Each use of a global in js/, without the command. */
export const uses: readonly Use[] = program
  .getSourceFiles()
  .map((source) => ({ source, file: relative(`${ROOT}/js`, source.fileName) }))
  .filter(({ file }) => !file.startsWith("..") && !file.endsWith(".d.ts"))
  .flatMap(({ source, file }) => [...usesIn(source, file)]);
