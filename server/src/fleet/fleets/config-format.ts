import { type FleetConfigFormat, fleetConfigFormatOf } from '@muster/contract';
import { unknownFormat } from '@muster/http/fleets/config-format';
import { invalidBody } from '../../foundation/refusal.ts';

/** The format that a body names; undefined if it names none. @throws Refusal invalid_body */
export function formatInBody(name: string | null | undefined): FleetConfigFormat | undefined {
  if (name === undefined || name === null || name === '') return undefined;
  const format = fleetConfigFormatOf(name);
  if (format === undefined) throw invalidBody([{ path: '/configFormat', message: unknownFormat(name) }]);
  return format;
}
