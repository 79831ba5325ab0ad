import type { Kysely, Selectable } from 'kysely';
import type { Engine } from '../foundation/database/migrations/column-types.ts';
import type { Tables } from '../foundation/database/tables.ts';

/** A core instance whose agents are known to be reachable and are not, or the other way round. */
export type ChangedSite = Pick<
  Selectable<Tables['core_instances']>,
  'id' | 'project_id' | 'name' | 'missed_contact_at' | 'last_contact_at' | 'oldest_spooled_at'
>;

/** Of projects that exist and do not move. */
function selectWatched(db: Kysely<Tables>) {
  return db
    .selectFrom('core_instances')
    .innerJoin('projects', 'projects.id', 'core_instances.project_id')
    .where('projects.deleted_at', 'is', null)
    .where('core_instances.deleted_at', 'is', null);
}

/** Those that have not been heard since a time and whose agents are not marked since, and missed ones that were heard again. */
export async function listChangedSites(
  db: Kysely<Tables>,
  heardSince: number,
  limit: number,
): Promise<ChangedSite[]> {
  return selectWatched(db)
    .select([
      'core_instances.id',
      'project_id',
      'core_instances.name',
      'missed_contact_at',
      'last_contact_at',
      'oldest_spooled_at',
    ])
    .where((eb) =>
      eb.or([
        eb.and([
          eb('last_contact_at', '<', heardSince),
          eb('missed_contact_at', 'is distinct from', eb.ref('last_contact_at')),
        ]),
        eb.and([eb('missed_contact_at', 'is not', null), eb('last_contact_at', '>=', heardSince)]),
      ]),
    )
    .orderBy('last_contact_at')
    .limit(limit)
    .execute();
}

/** Locks the core instance, and returns whether it is still as it was read, in a project that is still here. */
export async function lockSite(
  trx: Kysely<Tables>,
  engine: Engine,
  { id, missed_contact_at, last_contact_at }: ChangedSite,
): Promise<boolean> {
  const query = selectWatched(trx)
    .select('core_instances.id')
    .where('core_instances.id', '=', id)
    .where('missed_contact_at', 'is not distinct from', missed_contact_at)
    .where('last_contact_at', '=', last_contact_at);
  return (
    (await (engine === 'postgres' ? query.forNoKeyUpdate('core_instances') : query).executeTakeFirst()) !==
    undefined
  );
}

export async function markMissed(trx: Kysely<Tables>, id: string, contactAt: number | null): Promise<void> {
  await trx
    .updateTable('core_instances')
    .set({ missed_contact_at: contactAt })
    .where('id', '=', id)
    .execute();
}
