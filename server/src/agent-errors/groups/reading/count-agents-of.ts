import type { Kysely } from 'kysely';
import type { Tables } from '../../../database/tables.ts';

/** How many agents a project has, or a fleet of it. */
export async function countAgentsOf(
  db: Kysely<Tables>,
  { projectID, fleetID }: { readonly projectID: string; readonly fleetID: string | undefined },
): Promise<number> {
  let query = db
    .selectFrom('agents')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectID)
    .where('deleted_at', 'is', null);
  if (fleetID !== undefined) query = query.where('fleet_id', '=', fleetID);
  return (await query.executeTakeFirstOrThrow()).count;
}
