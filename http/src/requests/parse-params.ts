import type { TObject } from 'typebox';
import { Refusal } from '../refusal.ts';
import { readText, type TextSchema } from './read-text.ts';

/**
 * Builds the parser of a route's path parameters, which are ids and texts.
 *
 * @throws Refusal (from the parser) invalid_path_parameter
 */
export function compileParamsParser(
  schema: TObject | undefined,
): (raw: Readonly<Record<string, string>>) => Record<string, string> {
  const parameters = Object.entries<TextSchema>(schema?.properties ?? {});
  return (raw) =>
    Object.fromEntries(
      parameters.map(([name, parameter]) => [
        name,
        readText(raw[name] ?? '', parameter, (message) => invalidPathParameter(name, message)),
      ]),
    );
}

function invalidPathParameter(name: string, message: string): Refusal {
  return new Refusal('invalid_path_parameter', {
    detail: `The path parameter '${name}' ${message}.`,
    fields: [{ path: name, message }],
  });
}
