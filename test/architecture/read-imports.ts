import { posix } from 'node:path';
import ts from 'typescript';
import { readSource } from './source-files.ts';

/** One import of one file, in any syntax. */
export interface Import {
  /** The importing file, from the root of the repository. */
  readonly from: string;
  /** The imported file from the root of the repository, or the name of a package with its subpath. */
  readonly to: string;
  readonly kind: 'static' | 'dynamic';
  /** Removed at run time: `import type`, or only types in the braces. */
  readonly isTypeOnly: boolean;
}

export function importsOf(path: string): Import[] {
  return importsIn(path, readSource(path));
}

/** Finds `import`, `export … from`, `import()` and `import('…')` in a type. */
export function importsIn(path: string, source: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, kind: Import['kind'], isTypeOnly: boolean): void => {
    found.push({ from: path, to: resolve(path, specifier), kind, isTypeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node.moduleSpecifier.text, 'static', bringsTypesAlone(node.importClause));
    } else if (
      ts.isExportDeclaration(node) &&
      node.moduleSpecifier &&
      ts.isStringLiteral(node.moduleSpecifier)
    ) {
      add(node.moduleSpecifier.text, 'static', node.isTypeOnly);
    } else if (ts.isCallExpression(node) && isDynamicImport(node)) {
      const [argument] = node.arguments;
      add(argument && ts.isStringLiteralLike(argument) ? argument.text : '(computed)', 'dynamic', false);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      if (ts.isStringLiteral(node.argument.literal)) add(node.argument.literal.text, 'static', true);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true));
  return found;
}

function bringsTypesAlone(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = clause;
  return (
    name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every((element) => element.isTypeOnly)
  );
}

function isDynamicImport({ expression }: ts.CallExpression): boolean {
  return (
    expression.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(expression) && expression.text === 'require')
  );
}

function resolve(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier;
}

/** Names that a file uses but does not declare, such as those of the platform. */
export function identifiersOf(path: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && !isPropertyName(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readSource(path), ts.ScriptTarget.Latest, true));
  return names;
}

/** `reveal` in `secret.reveal()` and in `{ reveal: 1 }`. */
function isPropertyName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isPropertySignature(parent) && parent.name === node)
  );
}

/** Names of the methods that a file calls on anything: `reveal` for `secret.reveal()`, also without a call. */
export function propertiesUsedIn(path: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) names.add(node.name.text);
    if (ts.isBindingElement(node)) names.add((node.propertyName ?? node.name).getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readSource(path), ts.ScriptTarget.Latest, true));
  return names;
}
