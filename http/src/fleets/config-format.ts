import { type FleetConfigFormat, fleetConfigFormatNames, fleetConfigFormatOf } from '@muster/contract';
import { Refusal } from '../refusal.ts';

/** The format that a query names; undefined if it names none. @throws Refusal invalid_query_parameter */
export function formatInQuery(parameter: string, name: string | undefined): FleetConfigFormat | undefined {
  if (name === undefined || name === '') return undefined;
  const format = fleetConfigFormatOf(name);
  if (format !== undefined) return format;
  const message = unknownFormat(name);
  throw new Refusal('invalid_query_parameter', {
    detail: `${parameter} ${message}`,
    fields: [{ path: parameter, message }],
  });
}

export function unknownFormat(name: string): string {
  return `'${name}' is no format of a configuration: it must be one of ${fleetConfigFormatNames.join(', ')}`;
}

/** The format in which an agent wants its configuration. @throws Refusal invalid_query_parameter */
export function wantedFormat({
  config_format,
  format,
}: {
  readonly config_format?: string | undefined;
  readonly format?: string | undefined;
}): FleetConfigFormat {
  return formatInQuery('config_format', config_format) ?? formatInQuery('format', format) ?? 'classic';
}
