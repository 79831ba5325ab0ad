import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A configuration that is broken, and what a real Fluent Bit reports when it runs it. */
export interface Fault {
  /** Such as `tls.conf`. */
  readonly file: string;
  readonly rawConfig: string;
  readonly texts: readonly string[];
}

const folder = fileURLToPath(new URL('../../samples/fluent-bit', import.meta.url));
const mostTexts = 3;

/** What an agent runs once it is fixed. */
export const workingConfig = `[INPUT]
    name cpu
    tag  host.cpu

[OUTPUT]
    name  forward
    match *
    host  aggregator.example.com
`;

/** The recorded faults, each with its first few error messages. */
export function readFaults(): Fault[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .map((name) => name.slice(0, -'.log'.length))
    .sort()
    .map((file) => ({
      file,
      rawConfig: readFileSync(join(folder, file), 'utf8'),
      texts: readErrorTexts(readFileSync(join(folder, `${file}.log`), 'utf8')).slice(0, mostTexts),
    }))
    .filter(({ texts }) => texts.length > 0);
}

/**
 * The distinct error messages of a log, without their time, which would make each of them another error. What
 * names one chunk of data is left out: an agent says that once, and this fleet repeats itself.
 */
export function readErrorTexts(log: string): string[] {
  const texts = log
    .split('\n')
    .map((line) => /^\[[\d/]+ [\d:.]+\] \[error\] (.+)$/.exec(line)?.[1]?.trimEnd())
    .filter((text) => text !== undefined && !/\bchunk '/.test(text));
  return [...new Set(texts)].filter((text) => text !== undefined);
}
