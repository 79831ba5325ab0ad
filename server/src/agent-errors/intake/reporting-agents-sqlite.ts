import { firstPlaceAt, timeAtPlaceSql } from '../../database/id-place.ts';
import type { SqliteRow } from '../../database/sqlite/sqlite-messages.ts';
import type { RowWatch, SqliteStatements } from '../../database/sqlite/sqlite-procedure.ts';
import { minuteMilliseconds, secondMilliseconds, timesAround } from '../limits/new-error-limits.ts';
import { RecentTimes } from '../limits/recent-times.ts';
import { TwoGenerations } from './two-generations.ts';

/** What the writer remembers of a reporting agent. */
export interface ReportingAgent {
  /** Integer keys of the agent and its project. */
  readonly key: number;
  readonly projectKey: number;
  readonly projectID: string;
  readonly epoch: number;
  /** The sixteen bytes of the configuration's id. */
  readonly configID: Uint8Array | null;
  /** Undefined: not counted yet. */
  openErrors: number | undefined;
  recentErrors: RecentTimes | undefined;
}

/** Each agent takes about 200 bytes, and eight bytes per error of the last minute. */
const maxAgentsOfGeneration = 50_000;
const maxProjectsOfGeneration = 1_000;
const maxChangedAgents = 10_000;

/**
 * Remembers agents and their numbers of errors on the writer's thread, so that a report needs no query for them. Errors are counted by a scan only
 * when an agent first reports after a start or a dismissal. All writes go through this thread's connection, which notifies of each change of these
 * rows (`watches`).
 */
export class ReportingAgents {
  readonly #agents = new TwoGenerations<string, ReportingAgent>(maxAgentsOfGeneration);
  readonly #projects = new TwoGenerations<string, RecentTimes>(maxProjectsOfGeneration);
  /** Keys of agents of whose errors some were dismissed or reopened since they were counted. */
  readonly #changedKeys = new Set<number>();

  readonly watches: readonly RowWatch[] = [
    {
      table: 'agents',
      columns: ['epoch', 'config_id', 'deleted_at', 'project_id'],
      key: 'id',
      onChange: (id) => this.#agents.delete(String(id)),
    },
    {
      table: 'agent_error_rows',
      columns: ['dismissed_at'],
      key: 'agent_key',
      onChange: (key) => this.#noteChanged(Number(key)),
    },
  ];

  /** The agent, or the reason why it accepts no reports. */
  find(
    statements: SqliteStatements,
    agentID: string,
    projectID: string,
  ): ReportingAgent | 'agent_not_found' | 'agent_deleted' {
    const known = this.#agents.get(agentID);
    if (known?.projectID === projectID && !this.#hasChanged(known)) return known;
    const row = statements.get(selectAgentSql, agentID, projectID);
    if (row === undefined) return 'agent_not_found';
    if (row.deleted_at !== null) return 'agent_deleted';
    const agent: ReportingAgent = {
      key: keyOf(statements, row.agent_key, agentID),
      projectKey: keyOf(statements, row.project_key, projectID),
      projectID,
      epoch: Number(row.epoch),
      configID: typeof row.config_id === 'string' ? bytesOfID(row.config_id) : null,
      openErrors: undefined,
      recentErrors: undefined,
    };
    this.#changedKeys.delete(agent.key);
    this.#agents.set(agentID, agent);
    return agent;
  }

  countOpen(statements: SqliteStatements, agent: ReportingAgent): number {
    agent.openErrors ??= Number(statements.get(countOpenSql, agent.key)?.count);
    return agent.openErrors;
  }

  /** Errors of the agent that count towards the limit of a minute at that time, in milliseconds. */
  countRecentOfAgent(statements: SqliteStatements, agent: ReportingAgent, now: number): number {
    const [since, end] = timesAround(now, minuteMilliseconds);
    agent.recentErrors ??= timesOf(statements.all(selectRecentOfAgentSql, agent.key, firstPlaceAt(since)));
    return agent.recentErrors.count(since, end);
  }

  /** Errors of its project that count towards the limit of a second at that time, in milliseconds. */
  countRecentOfProject(statements: SqliteStatements, agent: ReportingAgent, now: number): number {
    const [since, end] = timesAround(now, secondMilliseconds);
    let recent = this.#projects.get(agent.projectID);
    if (recent === undefined) {
      recent = timesOf(statements.all(selectRecentOfProjectSql, agent.projectKey, firstPlaceAt(since)));
      this.#projects.set(agent.projectID, recent);
    }
    return recent.count(since, end);
  }

  noteStored(agent: ReportingAgent, createdAt: number): void {
    if (agent.openErrors !== undefined) agent.openErrors += 1;
    agent.recentErrors?.add(createdAt);
    this.#projects.get(agent.projectID)?.add(createdAt);
  }

  forgetAll(): void {
    this.#agents.clear();
    this.#projects.clear();
    this.#changedKeys.clear();
  }

  #noteChanged(key: number): void {
    if (this.#changedKeys.size >= maxChangedAgents) this.forgetAll();
    this.#changedKeys.add(key);
  }

  #hasChanged({ key }: ReportingAgent): boolean {
    return this.#changedKeys.size > 0 && this.#changedKeys.has(key);
  }
}

/** The integer key of an id, which is created when it is first needed. */
function keyOf(statements: SqliteStatements, known: SqliteRow[string] | undefined, id: string): number {
  if (typeof known === 'number') return known;
  statements.run('insert into id_keys (id) values (?1) on conflict (id) do nothing', id);
  return Number(statements.get('select key from id_keys where id = ?1', id)?.key);
}

function bytesOfID(id: string): Uint8Array {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function timesOf(rows: readonly SqliteRow[]): RecentTimes {
  return new RecentTimes(rows.map(({ created_at }) => Number(created_at)));
}

const selectAgentSql = `
  select epoch, config_id, deleted_at, agent_keys.key as agent_key, project_keys.key as project_key
  from agents
  left join id_keys as agent_keys on agent_keys.id = agents.id
  left join id_keys as project_keys on project_keys.id = agents.project_id
  where agents.id = ?1 and agents.project_id = ?2`;

const countOpenSql = `
  select count(*) as count from agent_error_rows indexed by agent_error_rows_open
  where agent_key = ?1 and dismissed_at is null`;

const selectRecentOfAgentSql = `
  select ${timeAtPlaceSql} as created_at from (
    select place, id_rest from agent_error_rows indexed by agent_error_rows_open
    where agent_key = ?1 and dismissed_at is null and place >= ?2
    union all
    select place, id_rest from agent_error_rows indexed by agent_error_rows_dismissed
    where agent_key = ?1 and dismissed_at is not null and place >= ?2
  ) order by created_at`;

const selectRecentOfProjectSql = `
  select ${timeAtPlaceSql} as created_at
  from agent_error_rows indexed by agent_error_rows_by_project
  where project_key = ?1 and place >= ?2
  order by created_at`;
