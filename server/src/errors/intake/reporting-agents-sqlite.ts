import { RecentTimes } from '@muster/http/limits/recent-times';
import { firstPlaceAt, timeAtPlaceSql } from '../../foundation/database/id-place.ts';
import type { SqliteRow } from '../../foundation/database/sqlite/sqlite-messages.ts';
import type { RowWatch, SqliteStatements } from '../../foundation/database/sqlite/sqlite-procedure.ts';
import { idWords, readID } from '../../foundation/packed/id-words.ts';
import { NumberedTexts } from '../../foundation/packed/numbered-texts.ts';
import { PackedOrder } from '../../foundation/packed/packed-order.ts';
import { PackedTable } from '../../foundation/packed/packed-table.ts';
import { TwoGenerations } from '../../foundation/two-generations.ts';
import { minuteMilliseconds, secondMilliseconds, timesAround } from '../limits/new-error-limits.ts';
import { CausesOfAgents } from './causes-of-agents-sqlite.ts';

/** What the writer remembers of a reporting agent. Use it before the next call of `find`. */
export interface ReportingAgent {
  /** Integer keys of the agent and its project. */
  readonly key: number;
  readonly projectKey: number;
  readonly projectID: string;
  readonly epoch: number;
  readonly record: number;
}

/** About 70 bytes for each, and 150 more for each with errors of the last minute. */
const usualMaxAgents = 100_000;
const maxProjectsOfGeneration = 1_000;
const maxSharedProjectIDs = 10_000;
const maxChangedAgents = 10_000;
const firstSweepSize = 1_000;
const maxWord = 0xffff_ffff;

/** Words of a record, after the id of the agent. */
const projectWord = idWords;
const keyWord = idWords + 1;
const projectKeyWord = idWords + 2;
const epochWord = idWords + 3;
/** One more than the number of open errors; 0: not counted yet. */
const openWord = idWords + 4;
/** 1 if the errors of the last minute were counted: an agent without a list of them has none. */
const countedWord = idWords + 5;
const configWord = idWords + 6;
const orderWord = configWord + idWords;
const valueWords = orderWord + 2 - idWords;
const noConfig = '00000000-0000-0000-0000-000000000000';

/**
 * Remembers agents and their numbers of errors on the writer's thread, so that a report needs no query for them. Errors are counted by a scan only
 * when an agent first reports after a start or a dismissal. All writes go through this thread's connection, which notifies of each change of these
 * rows (`watches`).
 */
export class ReportingAgents {
  readonly #agents = new PackedTable({ keyWords: idWords, valueWords });
  /** In the order in which they last reported: the first is the one to give up. */
  readonly #order = new PackedOrder(this.#agents, orderWord);
  readonly #projectIDs = new NumberedTexts();
  readonly #id = new Uint32Array(idWords);
  /** By record, when the errors of the last minute were made. */
  readonly #recentErrors = new Map<number, RecentTimes>();
  readonly causes = new CausesOfAgents();
  readonly #projects = new TwoGenerations<string, RecentTimes>(maxProjectsOfGeneration);
  /** Keys of agents of whose errors some were dismissed or reopened since they were counted. */
  readonly #changedKeys = new Set<number>();
  readonly #maxAgents: number;
  #sweepSize = firstSweepSize;

  readonly watches: readonly RowWatch[] = [
    {
      table: 'agents',
      columns: ['epoch', 'config_id', 'deleted_at', 'project_id'],
      key: 'id',
      onChange: (id) => this.#forget(String(id)),
    },
    // It is deleted, or moves to another installation.
    { table: 'projects', columns: ['deleted_at'], key: 'id', onChange: () => this.forgetAll() },
    {
      table: 'agent_error_rows',
      columns: ['dismissed_at', 'error_group'],
      key: 'agent_key',
      onChange: (key) => this.#noteChanged(Number(key)),
    },
  ];

  constructor(maxAgents = usualMaxAgents) {
    this.#maxAgents = maxAgents;
  }

  /** The agent, or the reason why it accepts no reports. */
  find(
    statements: SqliteStatements,
    agentID: string,
    projectID: string,
  ): ReportingAgent | 'agent_not_found' | 'agent_deleted' {
    const known = this.#recall(agentID, projectID);
    if (known !== undefined) return known;
    const row = isID(agentID) ? statements.get(selectAgentSql, agentID, projectID) : undefined;
    if (row === undefined) return 'agent_not_found';
    if (row.deleted_at !== null) return 'agent_deleted';
    const agent = {
      key: keyOf(statements, row.agent_key, agentID),
      projectKey: keyOf(statements, row.project_key, projectID),
      projectID,
      epoch: Number(row.epoch),
    };
    this.#changedKeys.delete(agent.key);
    return { ...agent, record: this.#remember(agentID, agent, String(row.config_id ?? noConfig)) };
  }

  /** The sixteen bytes of the id of the configuration that it runs.  */
  configIDOf({ record }: ReportingAgent): Uint8Array | null {
    this.#agents.read(record, configWord, this.#id);
    if (this.#id.every((word) => word === 0)) return null;
    const bytes = Buffer.allocUnsafe(idWords * 4);
    for (let index = 0; index < idWords; index += 1) bytes.writeUInt32BE(this.#id[index] ?? 0, index * 4);
    return bytes;
  }

  countOpen(statements: SqliteStatements, { key, record }: ReportingAgent): number {
    const known = this.#agents.word(record, openWord);
    if (known > 0) return known - 1;
    const count = Number(statements.get(countOpenSql, key)?.count);
    this.#agents.setWord(record, openWord, count + 1);
    return count;
  }

  /** Errors of the agent that count towards the limit of a minute at that time, in milliseconds. */
  countRecentOfAgent(statements: SqliteStatements, { key, record }: ReportingAgent, now: number): number {
    const [since, end] = timesAround(now, minuteMilliseconds);
    const known = this.#recentErrors.get(record);
    if (known !== undefined) return known.count(since, end);
    if (this.#agents.word(record, countedWord) === 1) return 0;
    const recent = timesOf(statements.all(selectRecentOfAgentSql, key, firstPlaceAt(since)));
    this.#agents.setWord(record, countedWord, 1);
    if (recent.latest !== undefined) this.#recentErrors.set(record, recent);
    return recent.count(since, end);
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

  /** A new error that is not open counts towards the limits on new errors only. */
  noteStored(
    { projectID, record }: ReportingAgent,
    groupKey: number,
    createdAt: number,
    isOpen: boolean,
  ): void {
    const open = this.#agents.word(record, openWord);
    if (isOpen && open > 0) this.#agents.setWord(record, openWord, open + 1);
    this.causes.noteStored(record, groupKey, createdAt, isOpen);
    this.#projects.get(projectID)?.add(createdAt);
    if (this.#agents.word(record, countedWord) === 1) this.#addRecent(record, createdAt);
  }

  forgetAll(): void {
    this.#agents.clear();
    this.#order.clear();
    this.#projectIDs.clear();
    this.#recentErrors.clear();
    this.causes.forgetAll();
    this.#projects.clear();
    this.#changedKeys.clear();
  }

  #recall(agentID: string, projectID: string): ReportingAgent | undefined {
    const record = this.#findRecord(agentID);
    if (record === undefined) return undefined;
    const key = this.#agents.word(record, keyWord);
    const isOfProject = this.#agents.word(record, projectWord) === this.#projectIDs.find(projectID);
    if (!isOfProject || this.#changedKeys.has(key)) return undefined;
    this.#order.moveToEnd(record);
    return {
      key,
      projectKey: this.#agents.word(record, projectKeyWord),
      projectID,
      epoch: this.#agents.word(record, epochWord),
      record,
    };
  }

  #findRecord(agentID: string): number | undefined {
    const record = readID(agentID, this.#id) ? this.#agents.find(this.#id) : -1;
    return record < 0 ? undefined : record;
  }

  /** Answers the number of its record, which takes the place of one from before. */
  #remember(agentID: string, agent: Omit<ReportingAgent, 'record'>, configID: string): number {
    this.#forget(agentID);
    const { key, projectKey, projectID, epoch } = agent;
    if (Math.max(key, projectKey, epoch) > maxWord) throw new RangeError(`${agentID} has too large a number`);
    const isNewProject = this.#projectIDs.find(projectID) === undefined;
    if (isNewProject && this.#projectIDs.size >= maxSharedProjectIDs) this.forgetAll();
    if (this.#agents.size >= this.#maxAgents) this.#remove(this.#order.first);
    readID(agentID, this.#id);
    const record = this.#agents.add(this.#id);
    this.#agents.setWord(record, projectWord, this.#projectIDs.numberOf(projectID));
    this.#agents.setWord(record, keyWord, key);
    this.#agents.setWord(record, projectKeyWord, projectKey);
    this.#agents.setWord(record, epochWord, epoch);
    readID(configID, this.#id);
    this.#agents.write(record, configWord, this.#id);
    this.#order.append(record);
    return record;
  }

  #forget(agentID: string): void {
    const record = this.#findRecord(agentID);
    if (record !== undefined) this.#remove(record);
  }

  #remove(record: number): void {
    this.#recentErrors.delete(record);
    this.causes.forget(record);
    this.#order.remove(record);
    this.#agents.remove(record);
  }

  #addRecent(record: number, createdAt: number): void {
    const known = this.#recentErrors.get(record);
    if (known !== undefined) {
      known.add(createdAt);
      return;
    }
    if (this.#recentErrors.size >= this.#sweepSize) this.#sweep(createdAt);
    this.#recentErrors.set(record, new RecentTimes([createdAt]));
  }

  /** Most agents have no error for hours after one. The next sweep comes when as many agents more had one. */
  #sweep(now: number): void {
    const [since] = timesAround(now, minuteMilliseconds);
    for (const [record, { latest = 0 }] of this.#recentErrors) {
      if (latest < since) this.#recentErrors.delete(record);
    }
    this.#sweepSize = Math.max(firstSweepSize, 2 * this.#recentErrors.size);
  }

  #noteChanged(key: number): void {
    if (this.#changedKeys.size >= maxChangedAgents) this.forgetAll();
    this.#changedKeys.add(key);
  }
}

/** The integer key of an id, which is created when it is first needed. */
function keyOf(statements: SqliteStatements, known: SqliteRow[string] | undefined, id: string): number {
  if (typeof known === 'number') return known;
  statements.run('insert into id_keys (id) values (?1) on conflict (id) do nothing', id);
  return Number(statements.get('select key from id_keys where id = ?1', id)?.key);
}

function isID(text: string): boolean {
  return readID(text, new Uint32Array(idWords));
}

function timesOf(rows: readonly SqliteRow[]): RecentTimes {
  return new RecentTimes(rows.map(({ created_at }) => Number(created_at)));
}

const selectAgentSql = `
  select epoch, config_id, deleted_at, agent_keys.key as agent_key, project_keys.key as project_key
  from agents
  left join id_keys as agent_keys on agent_keys.id = agents.id
  left join id_keys as project_keys on project_keys.id = agents.project_id
  where agents.id = ?1 and agents.project_id = ?2
    and exists (select 1 from projects where projects.id = ?2 and projects.deleted_at is null)`;

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
