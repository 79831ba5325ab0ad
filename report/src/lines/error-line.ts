import { stripVTControlCharacters } from 'node:util';
import { readFields, readJsonLine } from './structured-line.ts';

/**
 * What may follow the first line of an error. `stack`: indented lines and frames. `anything`: every line that does not
 * begin a record of its own, as below `Error: …` of a program that ends. `nothing`: the record is one line.
 */
export type Joins = 'stack' | 'anything' | 'nothing';

export interface ErrorLine {
  /** Without time stamp and level. */
  readonly text: string;
  readonly joins: Joins;
}

/** Finds the places in a stretch of output where an error line may be; everything else is passed over unread. */
export const errorWord =
  /error|fatal|panic|critical|emerg|severe|exception|traceback|caught signal|\bcrit\b|\balert\b/gi;

/** What is reported of a line; undefined where it is no error. Knows the formats of every agent at once. */
export function readErrorLine(line: string): ErrorLine | undefined {
  for (const read of formats) {
    const found = read(line);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A line without colours and without what journald, Docker or Kubernetes have put before it. */
export function withoutTransport(line: string): string {
  return stripVTControlCharacters(line.endsWith('\r') ? line.slice(0, -1) : line).replace(transport, '');
}

/** `Nov 21 00:29:30 host fluent-bit[71]: `, `2026-11-21T00:29:30.1Z stderr F `, `fluent-bit-1  | ` */
const transport =
  /^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w./@-]+(?:\[\d+\])?: |\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d) (?:stdout|stderr) [FP] |[\w.-]+-\d+ +\| )/;

/** True for a line that begins a record, of whatever level, and so ends the one before it. */
export function beginsRecord(line: string): boolean {
  return recordStart.test(line) || readErrorLine(line) !== undefined;
}

const recordStart =
  /^(?:\[?\d{4}[-/]\d\d[-/]\d\d[ T]|\{"|\[\d+\] |(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?)\b)/;

/** A line of a backtrace that Fluentd has given a time stamp and level of its own. */
export function readFluentdFrame(line: string): string | undefined {
  return fluentdFrame.exec(line)?.[1];
}

const fluentdFrame = /^ {2,}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [+-]\d{4} \[\w+\]: (?:#\d+ )?(.*)$/;

const errorLevel = '(?:error|fatal|panic|dpanic|critical|crit|emerg(?:ency)?|alert|severe)';
const time = String.raw`\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?`;

const formats: readonly ((line: string) => ErrorLine | undefined)[] = [
  readFluentBit,
  readFluentd,
  readJson,
  readCollectorConsole,
  readLeveled,
  readLogfmt,
  readEndOfProgram,
];

const fluentBit =
  /^\[\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d(?:\.\d+)?\] (?:\[ *error\] (.*)|(\[engine\] caught signal \(SIG(?:SEGV|ABRT|BUS|FPE|ILL)\).*))$/;

function readFluentBit(line: string): ErrorLine | undefined {
  const [, message, crash] = fluentBit.exec(line) ?? [];
  return toErrorLine(message ?? crash, 'stack');
}

const fluentd = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [+-]\d{4} \[(?:error|fatal)\]: (?:#\d+ )?(.*)$/;

function readFluentd(line: string): ErrorLine | undefined {
  return toErrorLine(fluentd.exec(line)?.[1], 'stack');
}

const isErrorLevel = new RegExp(`^${errorLevel}$`, 'i');

function readJson(line: string): ErrorLine | undefined {
  if (!line.startsWith('{')) return undefined;
  const found = readJsonLine(line);
  return found !== undefined && isErrorLevel.test(found.level) ? toErrorLine(found.text, 'stack') : undefined;
}

/** `TIME\tLEVEL\tlogger and caller, each maybe absent\tMESSAGE\t{FIELDS}` */
const collectorConsole = new RegExp(
  String.raw`^\S+[TZ]\S*\t${errorLevel}\t(?:[\w.\-/]+\t)?(?:\S+\.go:\d+\t)?([^\t]*)(?:\t(\{.*\}))?$`,
  'i',
);

function readCollectorConsole(line: string): ErrorLine | undefined {
  const [, message, fields] = collectorConsole.exec(line) ?? [];
  if (message === undefined) return undefined;
  return toErrorLine(fields === undefined ? message : readFields(message, fields), 'stack');
}

/** `TIME ERROR …`, `ERROR: …`, `TIME [error] …`, `[app] [ERROR] …`; in small letters only with a bracket or colon. */
const leveled = new RegExp(
  String.raw`^(?:${time}[\s,|]*)?((?:\[[\w.:/ -]{1,64}\] ?){0,2}?)(?:\[ ?(?:${bothCases(errorLevel)}) ?\]:?|(?:${errorLevel.toUpperCase()})(?=[\s:|])[:|]?)\s+(.*)$`,
);

/** `[ info] [error] …` is about a plugin of that name. */
const otherLevel = /\b(?:trace|debug|info|notice|warn(?:ing)?)\b/i;

function readLeveled(line: string): ErrorLine | undefined {
  const [, before, message] = leveled.exec(line) ?? [];
  if (message === undefined || otherLevel.test(before ?? '')) return undefined;
  return toErrorLine(`${before ?? ''}${message}`, 'stack');
}

const logfmt = new RegExp(
  String.raw`^((?:[\w.]+=(?:"[^"]*"|\S+)\s+){0,3})(?:level|lvl|severity)="?${errorLevel}"?(?:\s+(.*))?$`,
  'i',
);

function readLogfmt(line: string): ErrorLine | undefined {
  const [, before = '', rest = ''] = logfmt.exec(line) ?? [];
  return toErrorLine(before.replace(/(?:time|ts|t)=(?:"[^"]*"|\S+)\s+/, '') + rest, 'stack');
}

/** What programs leave behind that end by themselves: Go, Rust, Ruby, Python, Java, and what main() prints. */
const endsOfProgram: readonly (readonly [RegExp, Joins])[] = [
  [/^(?:\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d )?(collector server run finished with error: .*)$/, 'anything'],
  [/^(?:\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d )?((?:panic|fatal error|fatal|error): .*)$/i, 'anything'],
  [/^(thread '[^']*'(?: \(\d+\))? panicked at .*)$/, 'anything'],
  [/^(Traceback \(most recent call last\):)$/, 'anything'],
  [/^(Exception in thread .*)$/, 'stack'],
  [/^(\S+\.rb:\d+:in .*: .* \([\w:]+\))$/, 'stack'],
];

function readEndOfProgram(line: string): ErrorLine | undefined {
  for (const [pattern, joins] of endsOfProgram) {
    const text = pattern.exec(line)?.[1];
    if (text !== undefined) return toErrorLine(text, joins);
  }
  return undefined;
}

function toErrorLine(text: string | undefined, joins: Joins): ErrorLine | undefined {
  const trimmed = text?.trim();
  return trimmed === undefined || trimmed === '' ? undefined : { text: trimmed, joins };
}

function bothCases(pattern: string): string {
  return `${pattern}|${pattern.toUpperCase()}`;
}
