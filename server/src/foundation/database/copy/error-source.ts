import { hash } from 'node:crypto';
import { idAtPlaceSql, idOfBytesSql, isAtPlaceSql, placeOfID, timeAtPlaceSql } from '../id-place.ts';
import type { SqliteRow } from '../sqlite/sqlite-messages.ts';
import type { PageWords, RowKey } from './row-pages.ts';

/** The table that the two engines store differently. */
export const errorTable = 'agent_errors';

/** Reads errors on SQLite in the order of their places, which is the order of their ids, with the target's columns. */
export const errorPageWords: PageWords = {
  from: () => `(
    select place, agents.id as agent_id, ${idAtPlaceSql} as id, projects.id as project_id, error,
      null as error_digest, epoch, ${idOfBytesSql('config_id')} as config_id, ${timeAtPlaceSql} as created_at,
      agent_error_rows.occurrences, agent_error_rows.last_seen_at, agent_error_rows.dismissed_at, dismiss_reason,
      dismissed_by_kind, dismissed_by_id,
      (select id from agent_error_groups where key = error_group) as group_id, superseded_at, is_muted,
      (select id from dismissals where key = dismissal) as dismissal_id
    from agent_error_rows
    cross join id_keys as agents on agents.key = agent_key
    cross join id_keys as projects on projects.key = project_key)`,
  keyPart: () => 'place',
  isAfterKey: `place > coalesce((select place from agent_error_rows where ${isAtPlaceSql('?1', '?2')}), ?1)`,
};

export function placeParameters([id]: RowKey): readonly bigint[] {
  const at = placeOfID(String(id));
  if (at === undefined) throw new TypeError(`no error has the id ${String(id)}`);
  return [at.place, at.rest];
}

/** On PostgreSQL the full SHA-256 of the text decides equality. */
export function withDigest(row: SqliteRow): SqliteRow {
  return { ...row, error_digest: textDigest(String(row.error)) };
}

export function textDigest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
