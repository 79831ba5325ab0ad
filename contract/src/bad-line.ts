import type { DiffLine } from './parse-diff.ts';
import { realValuesOf } from './real-values.ts';

/** An added line in which a value of an error stands. */
export interface BadLine {
  readonly number: number;
  readonly kind: 'port' | 'host' | 'url' | 'path';
  readonly value: string;
}

const kinds = ['port', 'url', 'path', 'host'] as const;

/** The line of a configuration that an error is about. Undefined: no value of the error stands in an added line, so that nothing is known. */
export function badLineOf(lines: readonly DiffLine[], error: string): BadLine | undefined {
  const values = realValuesOf(error);
  for (const kind of kinds) {
    const value = values[kind];
    if (value === undefined) continue;
    const line = lines.find((one) => one.kind === 'added' && one.text.split(/[\s,"']+/).includes(value));
    if (line?.newNumber !== undefined) return { number: line.newNumber, kind, value };
  }
  return undefined;
}
