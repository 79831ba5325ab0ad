import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../samples/fluent-bit', import.meta.url));

/** The first error that a real Fluent Bit printed for this configuration and that begins like this, without its time. */
export function readSampleText(configuration: string, start: string): string {
  const texts = readErrorTexts(readFileSync(join(folder, `${configuration}.log`), 'utf8'));
  const text = texts.find((candidate) => candidate.startsWith(start));
  if (text === undefined) throw new Error(`${configuration}.log has no error that begins with '${start}'`);
  return text;
}

/** The error messages of a log, without times. */
export function readErrorTexts(log: string): string[] {
  return log
    .split('\n')
    .map((line) => /^\[[\d/]+ [\d:.]+\] \[error\] (.+)$/.exec(line)?.[1]?.trimEnd())
    .filter((text) => text !== undefined);
}

/** What differs between two agents that report the same cause. */
interface Differences {
  readonly address: string;
  /** The next number of this agent, below the limit. */
  number(limit: number): number;
}

/** The text as another agent, or the same agent at another time, prints it. */
export function varyText(text: string, { address, number }: Differences): string {
  return text
    .replaceAll(/\b127(?:\.\d{1,3}){3}\b/g, address)
    .replaceAll(
      /\b\d+-\d+\.\d+\.flb\b/g,
      () => `${100 + number(30_000)}-${1_795_000_000 + number(900_000)}.${number(1e9)}.flb`,
    )
    .replaceAll(/\btask_id=\d+/g, () => `task_id=${number(2048)}`)
    .replaceAll(
      /\b(http|es|tail|tcp|forward|loki|dummy)\.\d+/g,
      (_, plugin: string) => `${plugin}.${number(4)}`,
    );
}
