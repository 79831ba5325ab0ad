import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from '../column-types.ts';
import { partOfProject } from './counting-partitions.ts';

/**
 * The status of each agent as it was last counted, the counts of each project, and what they are counted from.
 *
 * Triggers append each agent whose status or version may have changed to `agent_changes`, in the transaction that changes it. The one consumer of the
 * changes of errors compares these agents with `agent_states`, and counts the differences. It appends agents with their first or no open error itself: with a
 * trigger, each pair that it writes would cost more.
 */
export function agentStateTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  return [
    // `status` is null: the agent was copied, and is not counted yet. `type` or `version` is empty: it did not say.
    sql`create table agent_states (
      project_id ${id} not null,
      agent_id ${id} not null,
      status ${text},
      type ${text} not null,
      version ${text} not null,
      primary key (project_id, agent_id)
    ) ${options}`,
    sql`create table project_counts (
      project_id ${id} not null primary key,
      healthy_agents ${integer} not null default 0,
      unhealthy_agents ${integer} not null default 0,
      offline_agents ${integer} not null default 0,
      stopped_agents ${integer} not null default 0,
      unknown_agents ${integer} not null default 0,
      current_errors ${integer} not null default 0,
      superseded_errors ${integer} not null default 0,
      open_groups ${integer} not null default 0
    ) ${engine === 'sqlite' ? options : sql`with (fillfactor = 50)`}`,
    sql`create table agent_version_counts (
      project_id ${id} not null,
      type ${text} not null,
      version ${text} not null,
      agents ${integer} not null,
      primary key (project_id, type, version)
    ) ${options}`,
    sql`create index agent_version_counts_by_agents on agent_version_counts
      (project_id, agents desc, type, version)`,
    engine === 'sqlite'
      ? sql`create table agent_changes (
          key integer primary key,
          project_id text not null,
          agent_id text not null
        ) strict`
      : sql`create table agent_changes (
          key bigint generated always as identity,
          project_id uuid not null,
          agent_id uuid not null,
          ${partOfProject},
          primary key (part, key)
        ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
  ];
}

/** The statement of a trigger: the status of the agent is determined anew. */
export function noteOfAgentState(agentID: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`insert into agent_changes (project_id, agent_id) values (new.project_id, ${agentID})`;
}
