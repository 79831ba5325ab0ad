import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import ts from 'typescript';

/** The functions of this workspace, loaded so that their work is counted. */
type Loaded = typeof import('../index.ts');

type Count = (steps: number) => void;

/** What no file of this workspace calls a variable. */
const counter = '$count';

/**
 * Loads this workspace once more with a counter in each function and each loop, and returns a function that counts what
 * `run` does: calls, rounds of loops, and characters that are searched or matched. The same work always gives the same
 * number. V8's own coverage does not: its counts depend on what was compiled, optimized and collected before.
 *
 * What a pattern does besides is bounded by its form: see patterns.test.ts.
 */
export function loadCounted(): (run: (loaded: Loaded) => unknown) => number {
  let total = 0;
  const count: Count = (steps) => {
    total += steps;
  };
  const loaded = load(new URL('../index.ts', import.meta.url), count, new Map()) as Loaded; // as index.ts exports it
  return (run) => {
    total = 0;
    countingSearches(count, () => run(loaded));
    return total;
  };
}

/** The exports of a file. What it imports is loaded the same way. */
function load(file: URL, count: Count, modules: Map<string, unknown>): unknown {
  const known = modules.get(file.href);
  if (known !== undefined) return known;
  const exported = {};
  modules.set(file.href, exported);
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 },
    transformers: { before: [insertCounters] },
  });
  const run = compileFunction(outputText, ['exports', 'require', counter], { filename: fileURLToPath(file) });
  run(exported, (path: string) => load(new URL(path, file), count, modules), count);
  return exported;
}

function insertCounters(context: ts.TransformationContext): (file: ts.SourceFile) => ts.SourceFile {
  const { factory } = context;
  const call = () =>
    factory.createCallExpression(factory.createIdentifier(counter), undefined, [
      factory.createNumericLiteral(1),
    ]);
  const counted = (body: ts.Statement): ts.Block =>
    factory.createBlock([
      factory.createExpressionStatement(call()),
      ...(ts.isBlock(body) ? body.statements : [body]),
    ]);
  const visit = (node: ts.Node): ts.Node => {
    const visited = ts.visitEachChild(node, visit, context);
    if (isBodyOfFunctionOrLoop(node)) return counted(visited as ts.Statement); // a body stays one
    const isExpressionBody =
      ts.isExpression(node) && ts.isArrowFunction(node.parent) && node.parent.body === node;
    return isExpressionBody
      ? factory.createParenthesizedExpression(factory.createComma(call(), visited as ts.Expression)) // stays one too
      : visited;
  };
  return (file) => ts.visitEachChild(file, visit, context);
}

function isBodyOfFunctionOrLoop(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isFunctionLike(parent)) return ts.isBlock(node);
  return ts.isIterationStatement(parent, false) && parent.statement === node;
}

/** Counts the characters that patterns and searches pass over, also in vain. */
function countingSearches(count: Count, work: () => void): void {
  const { exec } = RegExp.prototype;
  const { indexOf, lastIndexOf, includes } = String.prototype;
  // The other methods of patterns, and those of strings that take a pattern, call this one.
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const from = this.sticky || this.global ? this.lastIndex : 0;
    const found = exec.call(this, text);
    if (found !== null) count(found.index + found[0].length - from);
    else if (!this.sticky) count(text.length - from);
    return found;
  };
  String.prototype.indexOf = function (this: string, searched: string, from = 0) {
    const found = indexOf.call(this, searched, from);
    count((found < 0 ? this.length : found) - Math.min(from, this.length));
    return found;
  };
  String.prototype.lastIndexOf = function (this: string, searched: string, from = this.length) {
    const found = lastIndexOf.call(this, searched, from);
    count(Math.min(from, this.length) - Math.max(0, found));
    return found;
  };
  String.prototype.includes = function (this: string, searched: string, from = 0) {
    return this.indexOf(searched, from) >= 0;
  };
  try {
    work();
  } finally {
    Object.assign(RegExp.prototype, { exec });
    Object.assign(String.prototype, { indexOf, lastIndexOf, includes });
  }
}
