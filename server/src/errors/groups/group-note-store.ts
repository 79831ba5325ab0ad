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
    .where(isAnyID(engine, sql.ref('id'), ids))
    .execute();
}
