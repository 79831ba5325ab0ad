import type { Actor } from '@muster/contract';
import { type Kysely, sql } from 'kysely';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';

/** What people say of groups. Undefined: it stays as it is. */
export interface GroupNote {
  readonly assigneeID: string | null | undefined;
  readonly note: string | null | undefined;
  readonly link: string | null | undefined;
}

interface StoredNote extends GroupNote {
  /** Milliseconds. */
  readonly at: number;
  readonly by: Actor;
}

export async function noteGroups(
  trx: Kysely<Tables>,
  engine: Engine,
  ids: readonly string[],
  { assigneeID, note, link, at, by }: StoredNote,
): Promise<void> {
  const isNoted = isAnyID(engine, sql.ref('id'), ids);
  if (engine === 'postgres') {
    // In the order in which the counter locks them.
    await sql`select id from agent_error_groups where ${isNoted} order by id for no key update`.execute(trx);
  }
  await trx
    .updateTable('agent_error_groups')
    .set({
      ...(assigneeID !== undefined && { assignee_id: assigneeID }),
      ...(note !== undefined && { note }),
      ...(link !== undefined && { link }),
      noted_at: at,
      noted_by_kind: by.kind,
      noted_by_id: by.id,
    })
    .where(isNoted)
    .execute();
}
