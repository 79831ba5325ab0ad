import { variablesIn } from '@muster/fleet-config';
import type { Kysely } from 'kysely';
import type { Tables } from '../../../foundation/database/tables.ts';
import { Refusal } from '../../../foundation/refusal.ts';
import type { FleetVersionRow } from '../fleet-version-store.ts';
import { loadKnownVariables } from './load-values.ts';

/**
 * Refuses a version whose variables are not set any more. Inside a transaction of the caller, who has locked the fleet.
 *
 * @throws Refusal invalid_fleet_config
 */
export async function requireValues(
  trx: Kysely<Tables>,
  {
    fleet_id: fleetID,
    number,
    raw_config: rawConfig,
  }: Pick<FleetVersionRow, 'fleet_id' | 'number' | 'raw_config'>,
): Promise<void> {
  const used = usedValues(rawConfig);
  if (used.vars.size + used.secrets.size === 0) return;
  const known = await loadKnownVariables(trx, fleetID);
  const missing = [
    ...[...used.vars].filter((name) => !known.vars.has(name)).map((name) => `{{vars.${name}}}`),
    ...[...used.secrets].filter((name) => !known.secrets.has(name)).map((name) => `{{secrets.${name}}}`),
  ];
  if (missing.length === 0) return;
  throw new Refusal('invalid_fleet_config', {
    detail: `Version ${number} uses ${missing.join(', ')}, which is not set. Set it first, or choose another version.`,
  });
}

export interface UsedValues {
  readonly vars: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
}

/** The names that a configuration uses, also in comments. */
export function usedValues(...configs: readonly string[]): UsedValues {
  const used = configs.flatMap(variablesIn);
  const namesOf = (wanted: string) =>
    new Set(used.flatMap(({ scope, name }) => (scope === wanted ? [name] : [])));
  return { vars: namesOf('vars'), secrets: namesOf('secrets') };
}
