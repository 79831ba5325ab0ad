/** The first line of every generated file. */
export const notice = `// Generated from the OpenAPI document by 'npm run client': change the contract, not this file.`;

/** The lines of a JSDoc tag with an example. */
export function exampleLines(example: string): string[] {
  return ['', '@example', '```ts', ...example.split('\n'), '```'];
}

/** A JSDoc comment of these lines. */
export function docComment(indent: string, lines: readonly string[]): string {
  if (lines.length === 1) return `${indent}/** ${lines[0]} */`;
  const written = lines.map((line) => (line === '' ? `${indent} *` : `${indent} * ${line}`));
  return [`${indent}/**`, ...written, `${indent} */`].join('\n');
}
