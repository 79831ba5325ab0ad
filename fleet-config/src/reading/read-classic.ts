import type { Finding, FindingCode } from '../finding.ts';
import {
  type ConfigProperty,
  type ConfigSection,
  type PlacedText,
  type ReadConfig,
  sectionKinds,
} from './config-section.ts';

/** What has been read of a text so far. */
interface Reading {
  readonly sections: { section: ConfigSection; properties: ConfigProperty[] }[];
  readonly includes: PlacedText[];
  readonly variables: [string, string][];
  readonly findings: Finding[];
  /** The first indentation; all other lines must have the same. */
  indentation: string | undefined;
  indentedAt: number;
}

/**
 * Reads the classic format as Fluent Bit does: a header in brackets at the start of a line, then lines with the same indentation, of a key, a space
 * and a value. The indentation of comments counts too. A value is the rest of its line; it has no quotes and no comments.
 *
 * Fluent Bit gives up at the first line that it cannot read. All of them are findings here.
 */
export function readClassic(text: string): ReadConfig {
  const reading: Reading = {
    sections: [],
    includes: [],
    variables: [],
    findings: [],
    indentation: undefined,
    indentedAt: 0,
  };
  let line = 0;
  for (const written of text.split('\n')) {
    line += 1;
    readLine(reading, written.endsWith('\r') ? written.slice(0, -1) : written, line);
  }
  return {
    sections: reading.sections.map(({ section, properties }) => ({ ...section, properties })),
    includes: reading.includes,
    variables: reading.variables,
    findings: reading.findings,
  };
}

/** The indentation of the first indented line; undefined if there is none. */
export function indentationOf(text: string): string | undefined {
  return /^[^\S\r\n]+/m.exec(text)?.[0];
}

function readLine(reading: Reading, written: string, line: number): void {
  const first = written[0];
  if (first === undefined || first === '#') return;
  if (first === '@') readCommand(reading, written, line);
  else if (first === '[') readHeader(reading, written, line);
  else readIndented(reading, written, line);
}

function readCommand(reading: Reading, written: string, line: number): void {
  const [, command = '', value = ''] = /^@(\S+) (.*)$/.exec(written) ?? [];
  const place = { line, column: 1 };
  if (command.toLowerCase() === 'include' && value !== '') {
    reading.includes.push({ text: value, place });
    return;
  }
  const equals = value.indexOf('=');
  if (command.toLowerCase() === 'set' && equals > 0) {
    reading.variables.push([value.slice(0, equals), value.slice(equals + 1)]);
    return;
  }
  report(reading, line, 1, 'missing_value', `'${shorten(written)}' is no command that Fluent Bit knows.`, {
    remedy: "Write '@SET NAME=value' or '@INCLUDE file'.",
  });
}

function readHeader(reading: Reading, written: string, line: number): void {
  const end = written.indexOf(']');
  if (end < 2) {
    report(
      reading,
      line,
      1,
      'bad_section_header',
      `'${shorten(written)}' is no header of a section: ${end < 0 ? "its ']' is missing" : 'it has no name'}.`,
      { remedy: "Write a name in brackets, such as '[INPUT]'." },
    );
  }
  const name = written.slice(1, end < 0 ? undefined : end).trim();
  const lower = name.toLowerCase();
  const kind = sectionKinds.find((known) => known === lower || `${known}s` === lower) ?? 'other';
  const place = { line, column: 1 };
  reading.sections.push({
    section: { kind, written: name, place, properties: [], processors: [] },
    properties: [],
  });
}

function readIndented(reading: Reading, written: string, line: number): void {
  const blanks = /^[ \t]*/.exec(written)?.[0] ?? '';
  if (blanks === '') {
    report(reading, line, 1, 'bad_indentation', `'${shorten(written)}' is not indented.`, {
      remedy: 'Indent the keys of a section, all by the same number of spaces.',
    });
    return;
  }
  if (reading.indentation === undefined) {
    reading.indentation = blanks;
    reading.indentedAt = line;
  }
  const { indentation } = reading;
  const hasExtra = blanks.length > indentation.length && blanks.length !== 2 * indentation.length;
  if (!blanks.startsWith(indentation) || hasExtra) {
    report(
      reading,
      line,
      1,
      'bad_indentation',
      `The line starts with ${nameBlanks(blanks)}, but line ${reading.indentedAt} with ${nameBlanks(indentation)}: Fluent Bit wants the same indentation in the whole file, of comments and blank lines too.`,
      { remedy: `Start the line with ${nameBlanks(indentation)}.` },
    );
    return;
  }
  const rest = written.slice(blanks.length);
  if (rest === '' || rest.startsWith('#')) return;
  readProperty(reading, rest, line, blanks.length + 1);
}

function readProperty(reading: Reading, rest: string, line: number, column: number): void {
  const open = reading.sections.at(-1);
  // A section in a section, of which Fluent Bit reads the keys as a group.
  if (rest.startsWith('[') && rest.includes(']') && open !== undefined) return;
  const space = rest.indexOf(' ');
  const written = space < 0 ? rest : rest.slice(0, space);
  const value = space < 0 ? '' : rest.slice(space + 1).trim();
  if (value === '') {
    const isTab = rest.includes('\t');
    report(
      reading,
      line,
      column,
      'missing_value',
      isTab ? `A tab separates '${shorten(rest)}'.` : `'${shorten(written)}' has no value.`,
      {
        remedy: isTab ? 'Put a space between the key and its value.' : 'Give it a value, or remove the line.',
      },
    );
    return;
  }
  if (open === undefined) {
    report(reading, line, column, 'misplaced_section', `'${shorten(written)}' is in no section.`, {
      remedy: "Put a header such as '[SERVICE]' above it.",
    });
    return;
  }
  open.properties.push({ name: written.toLowerCase().trim(), written, value, place: { line, column } });
}

function report(
  { findings }: Reading,
  line: number,
  column: number,
  code: FindingCode,
  message: string,
  { remedy }: { readonly remedy: string },
): void {
  findings.push({ severity: 'error', code, message, remedy, line, column });
}

function nameBlanks(blanks: string): string {
  const tabs = blanks.length - blanks.replaceAll('\t', '').length;
  const spaces = blanks.length - tabs;
  const parts = [tabs > 0 && count(tabs, 'tab'), spaces > 0 && count(spaces, 'space')];
  return parts.filter((part) => part !== false).join(' and ') || 'no space';
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

/** For a message: a line of a configuration can be long. */
function shorten(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 60 ? `${trimmed.slice(0, 60)}…` : trimmed;
}
