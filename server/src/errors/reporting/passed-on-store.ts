import { CompiledQuery, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { idAtPlaceSql, placeOfID, timeAtPlaceSql } from '../../foundation/database/id-place.ts';
import type { AcceptedReport, SiteReport } from '../report.ts';

interface PassedOnRow {
  /** Of the report in the list. */
  readonly position: number;
  readonly id: string;
  readonly created_at: number;
}

/**
 * The errors that an earlier attempt to apply a batch has stored reports as, with the ids of the reports. They may be dismissed since, or of a
 * configuration before, and an equal error may be open.
 */
export class PassedOnErrors {
  readonly #database: Database;
  /** By agent and text, the newest one that was found. */
  readonly #found = new Map<string, AcceptedReport>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * In the order of the reports; undefined: the report was not stored, and is none of an agent and a text of which an earlier one was. Such a report
   * belongs to the same error, as it did then.
   */
  async find(reports: readonly SiteReport[]): Promise<readonly (AcceptedReport | undefined)[]> {
    const rows = await findRows(this.#database, reports);
    const byPosition = new Map(rows.map((row) => [Number(row.position), row]));
    return reports.map(({ agentID, error }, position) => {
      const key = `${agentID} ${error}`;
      const row = byPosition.get(position);
      if (row !== undefined)
        this.#found.set(key, { kind: 'ignored', id: row.id, createdAt: Number(row.created_at) });
      return this.#found.get(key);
    });
  }
}

async function findRows(
  { engine, write }: Database,
  reports: readonly SiteReport[],
): Promise<readonly PassedOnRow[]> {
  if (engine === 'postgres') {
    const columns = [
      reports.map(({ projectID }) => projectID),
      reports.map(({ agentID }) => agentID),
      reports.map(({ id }) => id),
    ];
    return (await write.executeQuery<PassedOnRow>(CompiledQuery.raw(postgresSql, columns))).rows;
  }
  const wanted = reports.map(({ id, agentID }) => {
    const { place, rest } = placeOfID(id) ?? {};
    return `[${place ?? null}, ${rest ?? null}, ${JSON.stringify(agentID)}]`;
  });
  // After what the writer is doing now.
  const { rows } = await sql<PassedOnRow>`${sql.raw(wantedSql)} from json_each(${`[${wanted}]`}) as report
    ${sql.raw(foundSql)}`.execute(write);
  return rows;
}

const wantedSql = `
  with wanted as materialized (
    select report.key as position, report.value ->> 0 as wanted_place, report.value ->> 1 as wanted_rest,
      (select id_keys.key from id_keys where id_keys.id = report.value ->> 2) as agent_key`;

/**
 * An error keeps its rest where it was stored at a later place, because another one had its own. How much later has no bound: so all errors of the agents
 * since then are read, each once, whatever the number of reports.
 */
const foundSql = `
  ), reporters as materialized (
    select agent_key, min(wanted_place) as first_place from wanted group by agent_key
  ), rows as materialized (
    ${ofReporters('agent_error_rows_open', 'null')} union all ${ofReporters('agent_error_rows_dismissed', 'not null')}
  )
  select position, ${idAtPlaceSql} as id, ${timeAtPlaceSql} as created_at
  from rows join wanted on wanted.agent_key = rows.agent_key and wanted_rest = id_rest and wanted_place <= place`;

function ofReporters(index: string, dismissed: 'null' | 'not null'): string {
  return `
    select errors.agent_key, errors.place, id_rest from reporters
    cross join agent_error_rows as errors indexed by ${index}
    where errors.agent_key = reporters.agent_key and errors.place >= reporters.first_place and dismissed_at is ${dismissed}`;
}

const postgresSql = `
  select (report.position - 1)::integer as position, stored.id, stored.created_at
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality as report (project_id, agent_id, id, position)
  cross join lateral (
    select e.id, e.created_at from agent_errors as e
    where e.project_id = report.project_id and e.id = report.id and e.agent_id = report.agent_id limit 1) as stored`;
