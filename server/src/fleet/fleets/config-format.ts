import { type FleetConfigFormat, fleetConfigFormatNames, fleetConfigFormatOf } from '@muster/contract';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';

/** The format that a body names; undefined if it names none. @throws Refusal invalid_body */
export function formatInBody(name: string | null | undefined): FleetConfigFormat | undefined {
  if (name === undefined || name === null || name === '') return undefined;
  const format = fleetConfigFormatOf(name);
  if (format === undefined) throw invalidBody([{ path: '/configFormat', message: unknown(name) }]);
  return format;
}

/** The format that a query names; undefined if it names none. @throws Refusal invalid_query_parameter */
export function formatInQuery(parameter: string, name: string | undefined): FleetConfigFormat | undefined {
  if (name === undefined || name === '') return undefined;
  const format = fleetConfigFormatOf(name);
  if (format !== undefined) return format;
  const message = unknown(name);
  throw new Refusal('invalid_query_parameter', {
    detail: `${parameter} ${message}`,
    fields: [{ path: parameter, message }],
  });
}

function unknown(name: string): string {
  return `'${name}' is no format of a configuration: it must be one of ${fleetConfigFormatNames.join(', ')}`;
}
