import { type IDPlace, idAtPlaceSql, maxMoved, timeAtPlaceSql } from '../../foundation/database/id-place.ts';
import type { SqliteStatements } from '../../foundation/database/sqlite/sqlite-procedure.ts';
import type { ReportOutcome } from '../report.ts';
import type { ReportingAgent } from './reporting-agents-sqlite.ts';

interface SiteReportToStore {
  readonly agent: ReportingAgent;
  /** The place of its id. */
  readonly wanted: IDPlace;
  readonly error: string;
}

/**
 * The errors that reports of a batch were stored as when a core instance passed them on before: with the same ids. A further report of an agent with the
 * same text belongs to the same error, as it did then.
 */
export class PassedOnErrors {
  readonly #statements: SqliteStatements;
  /** By agent and text. */
  readonly #found = new Map<string, ReportOutcome>();

  constructor(statements: SqliteStatements) {
    this.#statements = statements;
  }

  /** Undefined: the report was not stored. */
  find({ agent, wanted, error }: SiteReportToStore): ReportOutcome | undefined {
    const key = `${agent.key} ${error}`;
    const found = this.#found.get(key);
    if (found !== undefined) return found;
    const row = this.#statements.get(selectSql, wanted.place, wanted.rest, agent.key);
    if (row === undefined) return undefined;
    const { id, created_at } = row;
    const outcome = { kind: 'passed_on_before', id: String(id), createdAt: Number(created_at) } as const;
    this.#found.set(key, outcome);
    return outcome;
  }
}

/** An error keeps its rest where it was stored at a later place, because another one had its own. */
const selectSql = `
  select ${idAtPlaceSql} as id, ${timeAtPlaceSql} as created_at
  from agent_error_rows
  where place between ?1 and ?1 + ${maxMoved} and id_rest = ?2 and agent_key = ?3`;
