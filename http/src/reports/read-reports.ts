import { maxErrorsPerRequest, plainTextMediaType } from '@muster/contract';
import { invalidBody, Refusal } from '../refusal.ts';
import { invalidParameter } from '../requests/parse-query.ts';
import { type ReportBody, takeTexts } from './report-body.ts';

interface ReadReportsOptions {
  /** True: the body is the text of one report. */
  readonly isText: boolean;
  readonly isCut: boolean;
  /** True: an invalid element is refused alone. */
  readonly isPartial: boolean;
  /** Name of the field with the text, or a JSON Pointer. Absent: `error`. */
  readonly textField: string | undefined;
  /** Checks one report or an array of reports. @throws Refusal */
  readonly validate: (body: unknown) => void;
}

/** A report of a request that is refused although others are accepted. */
interface RefusedReport {
  readonly index: number;
  readonly refusal: Refusal;
}

export interface Reports {
  /** Those that are valid. */
  readonly body: ReportBody;
  readonly refused: readonly RefusedReport[];
}

/**
 * Reads the reports of a request: an object or an array, in which a refusal stands for what could not be parsed, or a text.
 *
 * @throws Refusal invalid_json, invalid_body or invalid_query_parameter
 */
export function readReports(body: unknown, options: ReadReportsOptions): Reports {
  const { isText, isCut, isPartial, textField, validate } = options;
  if (isText && textField !== undefined) {
    throw invalidParameter(
      'text_field',
      `names a field of a JSON object, but the body is ${plainTextMediaType}; leave it out`,
    );
  }
  const pointer = textField === undefined ? undefined : toPointer(textField);
  const place = isText ? '' : (pointer ?? '/error');
  const given = isText ? { error: withoutLineBreaks(String(body ?? '')) } : body;
  const taken = takeTexts(pointer === undefined ? given : moveTexts(given, pointer), isCut);
  const check = (reports: unknown, index?: number): void => {
    try {
      validate(reports);
    } catch (error) {
      throw placed(error, place, index);
    }
  };
  if (Array.isArray(taken) && isPartial && hasValidLength(taken)) {
    return sort(taken, (report, index) => check([report], index));
  }
  if (Array.isArray(taken)) for (const report of taken) if (report instanceof Refusal) throw report;
  check(taken);
  return { body: taken as ReportBody, refused: [] }; // as just validated
}

function hasValidLength({ length }: readonly unknown[]): boolean {
  return length > 0 && length <= maxErrorsPerRequest;
}

function sort(reports: readonly unknown[], check: (report: unknown, index: number) => void): Reports {
  const valid: unknown[] = [];
  const refused: RefusedReport[] = [];
  for (const [index, report] of reports.entries()) {
    try {
      if (report instanceof Refusal) throw report;
      check(report, index);
      valid.push(report);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.push({ index, refusal: error });
    }
  }
  return { body: valid as ReportBody & unknown[], refused }; // each was validated
}

/** The line break at the end of a text belongs to the tool that sent it, as in `echo`. */
function withoutLineBreaks(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}

function toPointer(field: string): string {
  return field.startsWith('/') ? field : `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Gives each object only its text, under the name `error`. */
function moveTexts(given: unknown, pointer: string): unknown {
  const names = pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const move = (report: unknown): unknown => {
    if (typeof report !== 'object' || report === null || Array.isArray(report) || report instanceof Refusal)
      return report;
    const text = names.reduce<unknown>(fieldOf, report);
    return text === undefined ? {} : { error: text };
  };
  return Array.isArray(given) ? given.map(move) : move(given);
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name]; // an own property, as just checked
}

/** Of a report, or of an element of an array. Anything may be below it, if it is no text. */
const textPlace = /(?<=^(?:\/\d+)?)\/error(?=\/|$)/;

/** The refusal with the paths of what was sent: the text is not always in `error`, and an element is checked as an array of one. */
function placed(error: unknown, place: string, index: number | undefined): unknown {
  if (!(error instanceof Refusal) || error.fields === undefined) return error;
  return invalidBody(
    error.fields.map(({ path, message }) => ({
      // A function, because a field may have a name such as `$&`.
      path: (index === undefined ? path : path.replace('/0', `/${index}`)).replace(textPlace, () => place),
      message,
    })),
  );
}
