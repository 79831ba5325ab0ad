import { type Kysely, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from './column-types.ts';

/**
 * What agents say about being alive. A narrow table of its own: these rows change with every sign of life, and those of
 * `agents` are wide. In the order of the project, so that the few agents of a project in some state are found in one
 * short range. No index beside the key: on PostgreSQL, updates then stay in their page.
 *
 * An agent without a row was not heard since this table exists.
 */
export async function createAgentSigns(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text, integer } = columnTypes(engine);
  const options = engine === 'postgres' ? sql`with (fillfactor = 70)` : tableOptions(engine);
  await sql`create table agent_signs (
    project_id ${id} not null,
    agent_id ${id} not null,
    seen_at ${integer} not null,
    beat_at ${integer},
    gap_ms ${integer},
    observed_ms ${integer},
    promised_ms ${integer},
    stopped_at ${integer},
    stop_failed ${integer} not null,
    exit_code ${integer},
    signal ${text},
    failures ${integer} not null,
    failing_since ${integer},
    failed_at ${integer},
    recovered_at ${integer},
    primary key (project_id, agent_id)
  ) ${options}`.execute(db);
  if (engine === 'sqlite') return;
  // One row: since when the replicas, taken together, hear agents without a break.
  await sql`create table listening (
    id bigint not null primary key,
    heard_since bigint not null,
    renewed_at bigint not null
  )`.execute(db);
}
