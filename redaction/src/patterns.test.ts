import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { knownShapes } from './secrets/known-shapes.ts';

const folder = new URL('.', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.includes('.test.') && !name.includes('testing'),
);

/** The source of each regular expression that is written in a file. */
function patternsIn(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(new URL(file, folder), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text.slice(1, node.text.lastIndexOf('/')));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const patterns = [
  ...files.flatMap((file) => patternsIn(file).map((pattern) => `${file}: ${pattern}`)),
  ...knownShapes.map(({ prefix, body }) => `known shape ${prefix}: ${body.source}`),
  ...knownShapes.map(({ prefix, lead }) => `lead of ${prefix}: ${lead?.source ?? ''}`),
];

/** A class, an escape or a character becomes `x`, so that only groups and quantifiers are left. */
function outline(pattern: string): string {
  return pattern
    .replace(/^.*?: /, '')
    .replaceAll(/\[(?:\\.|[^\]\\])*\]/g, 'x')
    .replaceAll(/\\./g, 'x');
}

/** Unbounded repetitions that are followed by more, with the reason why the search is still linear. */
const reasons = new Map([
  [
    String.raw`config/redact-named-values.ts: ^\[{1,2}[ \t]*([\w."'-]+)[ \t]*\]{1,2}[ \t]*(?:#.*)?$`,
    'reads lines of at most 256 characters',
  ],
  ['secrets/secret-name.ts: [^A-Za-z0-9./]+|[./]+$', 'reads names of at most 256 characters'],
  ['secrets/secret-name.ts: [A-Z]+(?![a-z])|[A-Z]?[a-z]+', 'reads names of at most 256 characters'],
  [
    String.raw`known shape eyJ: (?!--redacted--)\.[\w-]{4,}(?:\.[\w-]*){0,3}`,
    'what follows may be missing, so that it matches once the repetition does',
  ],
]);

describe('patterns', () => {
  it('are found', () => {
    expect(patterns.length).toBeGreaterThan(60);
  });

  it('have no unbounded repetition of a group, which would need memory per round and time per way to split the text', () => {
    expect(patterns.filter((pattern) => /\)(?:[*+]|\{\d+,\})/.test(outline(pattern)))).toEqual([]);
  });

  it('end after an unbounded repetition of a character, so that no text is read twice', () => {
    const goOn = patterns.filter((pattern) => /(?:[*+]|\{\d+,\})(?![)|]*\)*$|\|)/.test(outline(pattern)));
    expect(goOn.filter((pattern) => !reasons.has(pattern))).toEqual([]);
    expect([...reasons.keys()].filter((pattern) => !goOn.includes(pattern))).toEqual([]);
  });
});
