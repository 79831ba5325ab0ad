import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A broken configuration, and the errors that a real Fluent Bit reports when it runs it. */
export interface Fault {
  /** File name, such as `tls.conf`. */
  readonly file: string;
  readonly rawConfig: string;
  readonly texts: readonly string[];
}

const folder = fileURLToPath(new URL('../../samples/fluent-bit', import.meta.url));
const maxTexts = 3;

/** The configuration of a fixed agent. */
export const workingConfig = `[INPUT]
    name cpu
    tag  host.cpu

[OUTPUT]
    name  forward
    match *
    host  aggregator.example.com
`;

/** The recorded faults, each with its first error messages. */
export function readFaults(): Fault[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .map((name) => name.slice(0, -'.log'.length))
    .sort()
    .map((file) => ({
      file,
      rawConfig: readFileSync(join(folder, file), 'utf8'),
      texts: readErrorTexts(readFileSync(join(folder, `${file}.log`), 'utf8')).slice(0, maxTexts),
    }))
    .filter(({ texts }) => texts.length > 0);
}

/**
 * The distinct error messages of a log, without times, which would make each message a different error. Messages that
 * name a chunk of data are left out: a real agent logs them once, but this fleet repeats its messages.
 */
export function readErrorTexts(log: string): string[] {
  const texts = log
    .split('\n')
    .map((line) => /^\[[\d/]+ [\d:.]+\] \[error\] (.+)$/.exec(line)?.[1]?.trimEnd())
    .filter((text) => text !== undefined && !/\bchunk '/.test(text));
  return [...new Set(texts)].filter((text) => text !== undefined);
}
