import { readdirSync, readFileSync } from 'node:fs';

/** The errors that a Fluent Bit posts about itself in one flush. */
export type Flush = readonly string[];

const samples = new URL('../../samples/fluent-bit/', import.meta.url);

/** Logs of a real agent, by name, each with a different fault. */
export const logNames: readonly string[] = readdirSync(samples).filter((name) => name.endsWith('.log'));

/**
 * The errors of a log as samples/fluent-bit/selfreport.conf posts them: messages without time and level; those of one
 * second are posted together, because it flushes each second.
 */
export function readFlushes(logName: string): Flush[] {
  const bySecond = new Map<string, string[]>();
  for (const line of readFileSync(new URL(logName, samples), 'utf8').split('\n')) {
    const [, second, message] = /^\[([\d/]+ [\d:]+)\.\d+\] \[error\] (.+)$/.exec(line) ?? [];
    if (second !== undefined && message !== undefined)
      bySecond.set(second, [...(bySecond.get(second) ?? []), message]);
  }
  return [...bySecond.values()];
}
