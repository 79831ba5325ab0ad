import { foldVersion } from '@muster/faults';
import { timeAtPlaceSql } from '../../../foundation/database/id-place.ts';
import type {
  SqliteProcedure,
  SqliteStatements,
} from '../../../foundation/database/sqlite/sqlite-procedure.ts';
import type { GroupKeys } from './group-keys-sqlite.ts';
import type { GroupingPortion, GroupingRequest } from './grouping.ts';

/** Groups a portion of the errors that have no group or were grouped by other rules, in one transaction. */
export function createGroupErrorsProcedure(
  groupKeys: GroupKeys,
  version = foldVersion,
): SqliteProcedure<GroupingRequest, GroupingPortion> {
  return {
    watches: groupKeys.watches,
    run(statements, { maxRows }) {
      if (!begin(statements, version)) return { rows: 0, isDone: true };
      const rows = statements.all(selectPortionSql, maxRows);
      const refreshed = new Set<number>();
      for (const row of rows) {
        const createdAt = Number(row.created_at);
        const { key } = groupKeys.find(statements, {
          projectID: String(row.project_id),
          error: String(row.error),
          createdAt,
          configID: row.config_id instanceof Uint8Array ? row.config_id : null,
        });
        if (row.error_group !== key) statements.run(updateRowSql, BigInt(String(row.place)), key);
        if (refreshed.has(key)) continue;
        refreshed.add(key);
        statements.run(refreshGroupSql, key, createdAt, version);
      }
      const last = rows.at(-1);
      const isDone = rows.length < maxRows;
      statements.run(
        updateProgressSql,
        last === undefined ? null : BigInt(String(last.place)),
        isDone ? 1 : 0,
      );
      return { rows: rows.length, isDone };
    },
    undo: () => groupKeys.forgetAll(),
  };
}

/** Returns false if no errors are left. */
function begin(statements: SqliteStatements, version: number): boolean {
  const progress = statements.get('select fold_version, is_done from agent_error_grouping');
  const known = Number(progress?.fold_version ?? version);
  if (known > version) return false;
  if (known === version && progress?.is_done === 0) return true;
  const isOutdated =
    known < version ||
    statements.get(
      'select 1 from agent_error_groups where fold_version < ?1 and agents > 0 limit 1',
      version,
    ) !== undefined;
  if (!isOutdated) return false;
  statements.run('update agent_error_grouping set fold_version = ?1, last_place = 0, is_done = 0', version);
  return true;
}

/** Ordered by the column, not by the text that the query calls `place`: that would sort all errors for each portion. */
export const selectPortionSql = `
  select cast(place as text) as place, error, config_id, error_group, projects.id as project_id,
    ${timeAtPlaceSql} as created_at
  from agent_error_rows
  cross join id_keys as projects on projects.key = project_key
  where place > (select last_place from agent_error_grouping)
  order by agent_error_rows.place limit ?1`;

const updateRowSql = 'update agent_error_rows set error_group = ?2 where place = ?1';

const refreshGroupSql = `
  update agent_error_groups set first_seen_at = min(first_seen_at, ?2), fold_version = max(fold_version, ?3)
  where key = ?1 and (first_seen_at > ?2 or fold_version < ?3)`;

const updateProgressSql = `
  update agent_error_grouping set last_place = coalesce(?1, last_place), is_done = ?2`;
