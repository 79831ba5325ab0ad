import { nearestName, type ProblemField } from '@muster/contract';
import type { TObject } from 'typebox';
import { Refusal } from '../refusal.ts';
import { readText, type TextSchema } from './read-text.ts';

interface ParameterSchema extends TextSchema {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

type QueryValue = string | number | boolean;

/**
 * Builds the parser of a route's query string. It accepts exactly what is documented: an integer is digits, a boolean is `true` or `false`, and no
 * parameter is given twice. An unknown name is an error that suggests the nearest known one, because a silently ignored filter would return too much.
 *
 * @throws Refusal (from the parser) invalid_query_parameter, unknown_query_parameter
 */
export function compileQueryParser(schema: TObject | undefined) {
  const known = new Map<string, ParameterSchema>(Object.entries(schema?.properties ?? {}));
  return (raw: Readonly<Record<string, string | readonly string[]>>): Record<string, QueryValue> => {
    const parsed: Record<string, QueryValue> = {};
    for (const [name, value] of Object.entries(raw)) {
      const parameter = known.get(name);
      if (parameter === undefined) throw unknownParameter(name, [...known.keys()]);
      if (typeof value !== 'string') throw invalidParameter(name, 'is given more than once; give it once');
      parsed[name] = parseValue(name, value, parameter);
    }
    return parsed;
  };
}

function parseValue(name: string, text: string, schema: ParameterSchema): QueryValue {
  switch (schema.type) {
    case 'integer':
      return parseInteger(name, text, schema);
    case 'boolean':
      if (text === 'true') return true;
      if (text === 'false') return false;
      throw invalidParameter(name, `is '${text}', but must be true or false`);
    default:
      return readText(text, schema, (message) => invalidParameter(name, message));
  }
}

function parseInteger(name: string, text: string, { minimum = 0, maximum }: ParameterSchema): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && (maximum === undefined || value <= maximum)) return value;
  const bounds = maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`;
  throw invalidParameter(name, `is '${text}', but must be a whole number, ${bounds}`);
}

/** Without this check, text that cannot be decoded would be used unchanged. @throws Refusal bad_request */
export function refuseUndecodableQuery(url: string): void {
  try {
    decodeURIComponent(url.slice(url.indexOf('?') + 1));
  } catch {
    throw new Refusal('bad_request', {
      detail:
        'The query is not valid: each % must be followed by two hex digits, and the decoded bytes must be UTF-8.',
    });
  }
}

export function invalidParameter(name: string, message: string): Refusal {
  const fields: ProblemField[] = [{ path: name, message }];
  return new Refusal('invalid_query_parameter', {
    detail: `The query parameter '${name}' ${message}.`,
    fields,
  });
}

function unknownParameter(name: string, known: readonly string[]): Refusal {
  const nearest = nearestName(name, known);
  const hint =
    nearest !== undefined
      ? `Did you mean '${nearest}'?`
      : known.length === 0
        ? 'This route takes none.'
        : `This route takes ${known.join(', ')}.`;
  return new Refusal('unknown_query_parameter', {
    detail: `There is no query parameter '${name}'. ${hint}`,
    fields: [{ path: name, message: 'is unknown' }],
  });
}
