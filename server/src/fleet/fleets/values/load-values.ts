import type { KnownVariables } from '@muster/fleet-config';
import type { Kysely } from 'kysely';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { SecretBox } from '../../../foundation/secret-box.ts';
import type { FleetValues } from './fleet-values.ts';
import { listSecrets, listSharedVariables, listVariableNames, type SecretRow } from './value-store.ts';

/** What the variables in the configurations of a fleet stand for. */
export async function loadValues(db: Kysely<Tables>, box: SecretBox, fleetID: string): Promise<FleetValues> {
  const vars = new Map<string, string>();
  const ofTags = new Map<string, Map<string, string>>();
  for (const { subject_kind, subject, name, value } of await listSharedVariables(db, fleetID)) {
    if (subject_kind === 'fleet') vars.set(name, value);
    else ofTags.set(subject, (ofTags.get(subject) ?? new Map<string, string>()).set(name, value));
  }
  const names = await listVariableNames(db, fleetID);
  const secrets = await listSecrets(db, fleetID);
  return {
    vars,
    ofTags,
    special: new Set(names.flatMap(({ name, subject_kind }) => (subject_kind === 'fleet' ? [] : [name]))),
    secrets: new Map(secrets.map((row) => [row.name, { id: row.id, value: openSecret(box, row) }])),
  };
}

/** Undefined: it is sealed with a key that this process does not have. */
export function openSecret(box: SecretBox, { id, sealed, key_id: keyID }: SecretRow): string | undefined {
  return box.open({ sealed, keyID }, id);
}

/** The names of what is set for a fleet. */
export async function loadKnownVariables(db: Kysely<Tables>, fleetID: string): Promise<KnownVariables> {
  const names = await listVariableNames(db, fleetID);
  const ofFleet = new Set(
    names.flatMap(({ name, subject_kind }) => (subject_kind === 'fleet' ? [name] : [])),
  );
  const vars = new Set(names.map(({ name }) => name));
  return {
    vars,
    partial: new Set([...vars].filter((name) => !ofFleet.has(name))),
    secrets: new Set((await listSecrets(db, fleetID)).map(({ name }) => name)),
  };
}
