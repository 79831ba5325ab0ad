import { isWarningOfLoss } from '@muster/contract';
import { readFields, readJsonLine } from './structured-line.ts';
import { type UnlabelledForm, unlabelledFormOf } from './unlabelled-forms.ts';

/**
 * Which lines after the first one belong to an error. `stack`: indented lines and stack frames. `body`: every line up to
 * the next one with a time stamp, such as the body of an answer. `anything`: every line that does not begin a record,
 * as after `Error: …` of a program that ends.
 */
export type Joins = 'stack' | 'body' | 'anything';

/** The least severe level that is reported. */
export type ReportLevel = 'error' | 'warn';

interface ErrorLine {
  /** Without time stamp and level; that of a warning begins with `[warn] `. */
  readonly text: string;
  readonly joins: Joins;
  /** A thread or the whole process crashes. Its stack may come later, with lines of other threads in between. */
  readonly isCrash: boolean;
}

/** Recognises the lines that begin an error, in the formats of all agents at once. Every pattern is linear. */
export interface LineFormats {
  /** Matches wherever an error line may be; lines without a match need not be read. Has the flag `g`. */
  readonly errorWord: RegExp;
  /** Undefined when the line is not an error. */
  read(line: string): ErrorLine | undefined;
}

/** @param dialect the name of the agent's program or its type: some agents print errors in a form of their own */
export function lineFormats(level: ReportLevel, dialect = ''): LineFormats {
  const formats = level === 'warn' ? formatsFromWarn : formatsFromError;
  const form = unlabelledFormOf(dialect);
  return form === undefined ? formats : withUnlabelled(formats, form, level);
}

function makeLineFormats(level: ReportLevel): LineFormats {
  const patterns = makePatterns(level);
  const formats = [readFluentBit, readFluentd, readJson, readCollectorConsole, readLeveled, readLogfmt];
  return {
    errorWord: level === 'warn' ? errorOrWarnWord : errorWord,
    read(line) {
      for (const format of formats) {
        const found = format(line, patterns);
        if (found === 'not reported') return undefined;
        if (found !== undefined) return found;
      }
      return readEndOfProgram(line);
    },
  };
}

function withUnlabelled(formats: LineFormats, form: UnlabelledForm, level: ReportLevel): LineFormats {
  return {
    errorWord: new RegExp(`${formats.errorWord.source}|${form.faultWord.source}`, 'gi'),
    read(line) {
      const found = formats.read(line);
      if (found !== undefined) return found;
      const fault = form.read(line);
      if (fault === undefined || (fault.isWarning && level === 'error')) return undefined;
      return toErrorLine(fault.text, fault.isWarning ? 'warn' : 'error');
    },
  };
}

/** Of the warnings those of Fluent Bit, since some mean that data is lost. */
const errorWord =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a warning in colour
  /error|fatal|panic|critical|emerg|severe|exception|traceback|caught signal|\[(?:\u001b\[\d+m)? warn|\bcrit\b|\balert\b|\bSIG[A-Z]{3,4}: /gi;
const errorOrWarnWord = new RegExp(`${errorWord.source}|warn`, 'gi');

/** A line without colours and without what journald, Docker or Kubernetes have put before it. */
export function withoutTransport(line: string): string {
  const plain = line.endsWith('\r') ? line.slice(0, -1) : line;
  return plain.replace(colours, '').replace(transport, '');
}

/** Control sequences of a terminal (ECMA-48, CSI). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const colours = /\u001b\[[0-?]*[ -/]*[@-~]/g;

/** `Nov 21 00:29:30 host fluent-bit[71]: `, `2026-11-21T00:29:30.1Z stderr F `, `fluent-bit-1  | ` */
const transport =
  /^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w./@-]+(?:\[\d+\])?: |\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d) (?:stdout|stderr) [FP] |[\w.-]+-\d+ +\| )/;

/** True for a line that begins with a time stamp or a level, or that is a record of Fluent Bit's stdout output. */
export function isStamped(line: string): boolean {
  return stamp.test(line);
}

const stamp = /^(?:\[?\d{4}[-/]\d\d[-/]\d\d[ T]|\[\d+\] |(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?)\b)/;

/** True for a line that begins a record of any level, and so ends the one before it. */
export function beginsRecord(line: string): boolean {
  return isStamped(line) || line.startsWith('{"') || formatsFromWarn.read(line) !== undefined;
}

/** A line of a backtrace that Fluentd has given a time stamp and level of its own. */
export function readFluentdFrame(line: string): string | undefined {
  return fluentdFrame.exec(line)?.[1];
}

const fluentdFrame = /^ {2,}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [+-]\d{4} \[\w+\]: (?:#\d+ )?(.*)$/;

const errorLevel = '(?:error|fatal|panic|dpanic|critical|crit|emerg(?:ency)?|alert|severe)';
const errorOrWarnLevel = errorLevel.replace('(?:', '(?:warn(?:ing)?|');
const time = String.raw`\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?`;

/** The formats of lines, with the groups `level` and `text`, and others of their own. */
interface Patterns {
  readonly level: RegExp;
  readonly fluentBit: RegExp;
  readonly fluentd: RegExp;
  readonly collectorConsole: RegExp;
  readonly leveled: RegExp;
  readonly logfmt: RegExp;
}

function makePatterns(reported: ReportLevel): Patterns {
  const isWarnReported = reported === 'warn';
  const levels = isWarnReported ? errorOrWarnLevel : errorLevel;
  const level = `(?<level>${levels})`;
  const upperLevel = levels.toUpperCase();
  return {
    level: new RegExp(`^${levels}$`, 'i'),
    fluentBit:
      /^\[\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d(?:\.\d+)?\] (?:\[ *(?<level>error|warn)\] (?<text>.*)|(?<crash>\[engine\] caught signal \(SIG(?:SEGV|ABRT|BUS|FPE|ILL)\).*))$/s,
    fluentd: new RegExp(
      String.raw`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [+-]\d{4} \[(?<level>error|fatal${isWarnReported ? '|warn' : ''})\]: (?:#\d+ )?(?<text>.*)$`,
      's',
    ),
    // `TIME\tLEVEL\tlogger and caller, each may be absent\tMESSAGE\t{FIELDS}`
    collectorConsole: new RegExp(
      String.raw`^(?=\S{0,63}[TZ])\S{1,64}\t${level}\t(?:[\w.\-/]+\t)?(?:\S+\.go:\d+\t)?(?<text>[^\t]*)(?:\t(?<fields>\{.*\}))?$`,
      'is',
    ),
    // `TIME ERROR …`, `ERROR: …`, `TIME [error] …`, `[app] [ERROR] …`; in small letters only with a bracket or colon.
    leveled: new RegExp(
      String.raw`^(?:${time}[\s,|]{0,8})?(?<before>(?:\[[\w.:/ -]{1,64}\] ?){0,2}?)(?:\[ ?(?<level>${levels}|${upperLevel}) ?\]:?|(?<word>${upperLevel})(?=[\s:|])[:|]?)\s(?<text>.*)$`,
      's',
    ),
    logfmt: new RegExp(
      String.raw`^(?<before>(?:[\w.]+=(?:"[^"]*"|\S+)\s+){0,3})(?:level|lvl|severity)="?${level}"?(?:\s(?<text>.*))?$`,
      'is',
    ),
  };
}

function readFluentBit(
  line: string,
  { fluentBit, level: reported }: Patterns,
): ErrorLine | 'not reported' | undefined {
  const { level, text, crash } = groupsOf(fluentBit, line);
  if (crash !== undefined) return { text: crash, joins: 'stack', isCrash: true };
  if (text === undefined || level === undefined) return undefined;
  const isLoss = level === 'warn' && isWarningOfLoss(text);
  if (!isLoss && !reported.test(level)) return 'not reported';
  return toErrorLine(text, isLoss ? 'error' : level, announcesBody.test(text) ? 'body' : 'stack');
}

/** `…, response:`, `…, HTTP status=404`, `error: Output`: plugins print what the other side has answered below it. */
const announcesBody = /(?::|\bHTTP status[= ]\d{3}|\bresponse|: (?:Input|Output))$/i;

function readFluentd(line: string, { fluentd }: Patterns): ErrorLine | undefined {
  const { level, text } = groupsOf(fluentd, line);
  return toErrorLine(text, level);
}

function readJson(line: string, { level }: Patterns): ErrorLine | undefined {
  if (!line.startsWith('{')) return undefined;
  const found = readJsonLine(line);
  return found !== undefined && level.test(found.level) ? toErrorLine(found.text, found.level) : undefined;
}

function readCollectorConsole(line: string, { collectorConsole }: Patterns): ErrorLine | undefined {
  const { level, text, fields } = groupsOf(collectorConsole, line);
  if (text === undefined) return undefined;
  return toErrorLine(fields === undefined ? text : readFields(text, fields), level);
}

/** `[ info] [error] …` is about a plugin of that name. */
const otherLevel = /\b(?:trace|debug|info|notice|warn(?:ing)?)\b/i;

function readLeveled(line: string, { leveled }: Patterns): ErrorLine | undefined {
  const { before = '', level, word, text } = groupsOf(leveled, line);
  if (text === undefined || otherLevel.test(before)) return undefined;
  return toErrorLine(`${before}${text}`, level ?? word);
}

function readLogfmt(line: string, { logfmt }: Patterns): ErrorLine | undefined {
  const { before = '', level, text = '' } = groupsOf(logfmt, line);
  return toErrorLine(before.replace(/(?:time|ts|t)=(?:"[^"]*"|\S+)\s+/, '') + text, level);
}

/** What programs print when they fail: Go, Rust, Ruby, Python, Java, and what main() prints. */
const endsOfProgram = (
  [
    [
      /^(?:\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d )?(collector server run finished with error: .*)$/s,
      'anything',
      false,
    ],
    [/^((?:panic|fatal error): .*)$/s, 'anything', true],
    // Of Go, for a signal that came while C code ran.
    [/^(SIG(?:SEGV|ABRT|BUS|FPE|ILL): .*)$/s, 'anything', true],
    [/^(?:\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d )?((?:panic|fatal error|fatal|error): .*)$/is, 'anything', false],
    [/^(thread '[^']*'(?: \(\d+\))? panicked at .*)$/s, 'anything', true],
    [/^(Traceback \(most recent call last\):)$/s, 'anything', false],
    [/^(Exception in thread .*)$/s, 'stack', false],
    [/^(?=.*: )(\S{1,512}\.rb:\d+:in .*\([\w:]+\))$/s, 'stack', false],
  ] as const
).map(([pattern, joins, isCrash]) => ({ pattern, joins, isCrash }));

function readEndOfProgram(line: string): ErrorLine | undefined {
  for (const { pattern, joins, isCrash } of endsOfProgram) {
    const text = pattern.exec(line)?.[1]?.trim();
    if (text !== undefined && text !== '') return { text, joins, isCrash };
  }
  return undefined;
}

function groupsOf(pattern: RegExp, line: string): Readonly<Record<string, string | undefined>> {
  return pattern.exec(line)?.groups ?? {};
}

function toErrorLine(
  text: string | undefined,
  level: string | undefined,
  joins: Joins = 'stack',
): ErrorLine | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined || trimmed === '') return undefined;
  const isWarning = level !== undefined && /^warn/i.test(level);
  return { text: isWarning ? `[warn] ${trimmed}` : trimmed, joins, isCrash: false };
}

const formatsFromError = makeLineFormats('error');
const formatsFromWarn = makeLineFormats('warn');
