import type { Kysely } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { type FleetVersionRow, listFailedVersions } from './fleet-version-store.ts';

/** Refuses to give agents a version of which a rollout has stopped by itself, unless the caller says so. @throws Refusal fleet_version_bad */
export async function requireGoodVersion(
  db: Kysely<Tables>,
  { id, number }: Pick<FleetVersionRow, 'id' | 'number'>,
  despiteBad: boolean | null | undefined,
): Promise<void> {
  if (despiteBad === true || !(await listFailedVersions(db, [id])).has(id)) return;
  throw new Refusal('fleet_version_bad', {
    detail: `A rollout of version ${number} has stopped by itself. Create a version that is corrected, or send despiteBad: true.`,
  });
}
