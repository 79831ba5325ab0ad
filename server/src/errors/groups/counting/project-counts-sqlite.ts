import type { SqliteStatements } from '../../../foundation/database/sqlite/sqlite-procedure.ts';
import type { GroupRow } from './counted-group.ts';
import type { GroupCounts } from './error-changes.ts';

interface ProjectChange {
  currentErrors: number;
  supersededErrors: number;
  openGroups: number;
}

/** What a portion changes of the counts of projects. On PostgreSQL, `counted-group-store-postgres.ts` counts it. */
export class ProjectCounts {
  readonly #changes = new Map<string, ProjectChange>();

  /** @param counts the changes to the counts of the group */
  addGroup({ project_id: projectID, current_errors: before }: GroupRow, counts: GroupCounts): void {
    const { currentErrors, supersededErrors } = counts;
    if (currentErrors === 0 && supersededErrors === 0) return;
    const change = this.#changes.get(projectID) ?? { currentErrors: 0, supersededErrors: 0, openGroups: 0 };
    this.#changes.set(projectID, change);
    change.currentErrors += currentErrors;
    change.supersededErrors += supersededErrors;
    change.openGroups += Number(before + currentErrors > 0) - Number(before > 0);
  }

  write(statements: SqliteStatements): void {
    for (const [projectID, { currentErrors, supersededErrors, openGroups }] of this.#changes) {
      statements.run(upsertSql, projectID, currentErrors, supersededErrors, openGroups);
    }
  }
}

const upsertSql = `
  insert into project_counts (project_id, current_errors, superseded_errors, open_groups)
  values (?1, ?2, ?3, ?4)
  on conflict (project_id) do update
  set current_errors = current_errors + excluded.current_errors,
    superseded_errors = superseded_errors + excluded.superseded_errors,
    open_groups = open_groups + excluded.open_groups`;
