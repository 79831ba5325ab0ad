import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { AgentErrorStore } from '../../errors/agent-error-store.ts';
import { createAgentErrorStore } from '../../errors/create-agent-error-store.ts';
import { createCountingEngine } from '../../errors/groups/counting/create-counting-engine.ts';
import { ErrorGroupCounter } from '../../errors/groups/counting/error-group-counter.ts';
import { muteGroup, unmuteGroup } from '../../errors/groups/mutes/group-mute-store.ts';
import { createReportStore } from '../../errors/intake/report-store.ts';
import type { NewErrorLimits } from '../../errors/limits/new-error-limits.ts';
import type { ReportOutcome, StoreReports } from '../../errors/report.ts';
import { updateAgent } from '../../fleet/agents/agent-store.ts';
import {
  followAgentsOnPostgres,
  partitionsWithChangedAgents,
} from '../../fleet/agents/states/follow-agents-store-postgres.ts';
import { createNewID, type NewID, timeOfID } from '../../foundation/clock.ts';
import { nothingNoted, type PartitionsMoment } from '../../foundation/counted-portion.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import { countingPartitions } from '../../foundation/database/counting-partition.ts';
import type { Database } from '../../foundation/database/database.ts';
import { migrate } from '../../foundation/database/migrate.ts';
import { openDatabase } from '../../foundation/database/open-database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { createTestClock, type TestClock } from '../test-clock.ts';
import { dropTestDatabase, prepareMigratedDatabase, testEngine } from '../test-database.ts';

/** The parts of one service process that store errors and count groups. */
export interface StageReplica {
  readonly database: Database;
  readonly reports: StoreReports;
  readonly errors: AgentErrorStore;
  readonly counter: ErrorGroupCounter;
}

export interface StageOptions {
  /** The number of replicas on PostgreSQL. SQLite always has one. */
  readonly replicas?: number;
  readonly maxChanges?: number;
  /** Since when the service has listened to agents. Absent: always. */
  readonly heardSince?: () => number;
  /** Of each replica. Absent: none. */
  readonly limits?: NewErrorLimits;
}

const noLimits = {
  openPerAgent: 0,
  newPerAgentPerMinute: 0,
  newPerProjectPerSecond: 0,
};

/** A database with the stores that write errors, and a plain recount of what the counter counts. */
export class ErrorGroupStage {
  readonly clock: TestClock = createTestClock();
  readonly replicas: StageReplica[] = [];
  readonly directory = mkdtempSync(join(tmpdir(), 'muster-groups-'));
  readonly newID: NewID;
  readonly failures: unknown[] = [];
  readonly #closing = new AbortController();
  #projects = 0;
  #machines = 0;
  /** The number that mutes advance: a request reads it before its report is stored. */
  #generation = 1;

  private constructor() {
    let random = 0;
    this.newID = createNewID(this.clock.now, (size) => {
      random += 1;
      return new Uint8Array(size).map((_, index) => random + index);
    });
  }

  static async open({
    replicas = 1,
    maxChanges,
    heardSince,
    limits = noLimits,
  }: StageOptions = {}): Promise<ErrorGroupStage> {
    const stage = new ErrorGroupStage();
    const databaseUrl = await prepareMigratedDatabase(stage.directory);
    for (let index = 0; index < (testEngine === 'sqlite' ? 1 : replicas); index += 1) {
      const database = await openDatabase({
        dataDirectory: stage.directory,
        databaseUrl,
        onConnectionError: () => undefined,
      });
      if (index === 0) await migrate(database);
      stage.replicas.push({
        database,
        reports: createReportStore(database, limits, stage.clock.monotonic),
        errors: createAgentErrorStore(database),
        counter: new ErrorGroupCounter({
          database,
          clock: stage.clock.now,
          monotonic: () => performance.now(),
          closing: stage.#closing.signal,
          maxReadWaitMilliseconds: Number.POSITIVE_INFINITY,
          engine: createCountingEngine(database, {
            onCounted: followAgents,
            partitionsToNote: partitionsWithChangedAgents,
          }),
          onFailure: (error) => stage.failures.push(error),
          ...(heardSince === undefined ? {} : { heardSince }),
          ...(maxChanges === undefined ? {} : { maxChanges }),
        }),
      });
    }
    return stage;
  }

  get first(): StageReplica {
    return this.replica(0);
  }

  /** By its number, beginning anew behind the last one. */
  replica(number: number): StageReplica {
    const replica = this.replicas[number % this.replicas.length];
    if (replica === undefined) throw new Error('a stage has a replica');
    return replica;
  }

  async addProject(): Promise<string> {
    // Each is in the next partition.
    this.#projects += 1;
    const id = `${this.newID().slice(0, -1)}${(this.#projects % countingPartitions).toString(countingPartitions)}`;
    await this.first.database.write
      .insertInto('projects')
      .values({ id, name: 'project', created_at: 0, updated_at: 0 })
      .execute();
    return id;
  }

  async addAgent(projectID: string): Promise<string> {
    const id = this.newID();
    this.#machines += 1;
    await this.first.database.write
      .insertInto('agents')
      .values({
        id,
        project_id: projectID,
        machine_id: `machine ${this.#machines}`,
        name: 'agent',
        flags: '[]',
        metadata: '{}',
        tags: '[]',
        epoch: 1,
        config_id: null,
        created_at: 0,
        updated_at: 0,
        last_seen_at: 0,
      })
      .execute();
    return id;
  }

  async configure(agentID: string, replica = this.first): Promise<void> {
    const id = this.newID();
    await updateAgent(replica.database.write, agentID, { updated_at: 0 }, { id, digest: id });
  }

  async report(
    agentID: string,
    projectID: string,
    texts: readonly string[],
    replica = this.first,
  ): Promise<readonly ReportOutcome[]> {
    const reports = texts.map((error) => {
      const id = this.newID();
      return { id, agentID, projectID, error, createdAt: timeOfID(id), generation: this.#generation };
    });
    return replica.reports(reports);
  }

  /** Returns false if the group does not exist. */
  async mute(groupID: string, until: number, reason: string, replica = this.first): Promise<boolean> {
    const by = { kind: 'user', id: groupID } as const;
    const mute = {
      until,
      reason,
      at: this.clock.now(),
      by,
      endsWithConfiguration: false,
      moreAgents: undefined,
    };
    const isFound = await inTransaction(replica, (trx) => muteGroup(trx, groupID, mute));
    if (isFound) this.#generation += 1;
    return isFound;
  }

  async unmute(groupID: string, replica = this.first): Promise<boolean> {
    const isFound = await inTransaction(replica, (trx) => unmuteGroup(trx, groupID));
    if (isFound) this.#generation += 1;
    return isFound;
  }

  async dismiss(agentID: string, id: string, replica = this.first): Promise<boolean> {
    const by = { kind: 'user', id: agentID } as const;
    const row = await replica.errors.find(id);
    return row !== undefined && replica.errors.dismiss(row, { at: this.clock.now(), reason: 'seen', by });
  }

  /** Returns both for comparison: the stored counts, and a plain count of the errors. */
  async countAll(): Promise<{ stored: unknown; counted: unknown }> {
    return {
      stored: { groups: await this.#storedGroups(), pairs: await this.#storedPairs() },
      counted: { groups: await this.#countedGroups(), pairs: await this.#countedPairs() },
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const { counter, database } of this.replicas) {
      await counter.close();
      await database.close();
    }
    rmSync(this.directory, { recursive: true });
    await dropTestDatabase(this.directory);
  }

  async #storedGroups(): Promise<unknown[]> {
    const { rows } = await sql`
      select id, occurrences, current_errors, superseded_errors, dismissed_errors, current_agents,
        superseded_agents, open_agents, dismissed_agents, agents
      from agent_error_groups where agents <> 0 or occurrences <> 0 or current_errors <> 0
        or superseded_errors <> 0 or dismissed_errors <> 0
      order by id`.execute(this.first.database.write);
    return rows;
  }

  async #storedPairs(): Promise<unknown[]> {
    const columns =
      testEngine === 'sqlite' ? sql`g.id as group_id, a.id as agent_id` : sql`p.group_id, p.agent_id`;
    const joins =
      testEngine === 'sqlite'
        ? sql`join agent_error_groups as g on g.key = p.group_key join id_keys as a on a.key = p.agent_key`
        : sql``;
    const { rows } = await sql`
      select ${columns}, p.current_errors, p.superseded_errors, p.dismissed_errors
      from agent_error_group_agents as p ${joins} order by 1, 2`.execute(this.first.database.write);
    return rows;
  }

  async #countedGroups(): Promise<unknown[]> {
    const agents = (condition: RawBuilder<unknown>) =>
      sql`count(distinct case when ${condition} then e.agent_id end)`;
    const { rows } = await sql`
      select e.group_id as id, cast(sum(e.occurrences) as ${integer}) as occurrences,
        ${errorsThat(isCurrent)} as current_errors, ${errorsThat(isSuperseded)} as superseded_errors,
        ${errorsThat(isDismissed)} as dismissed_errors, ${agents(isCurrent)} as current_agents,
        ${agents(isSuperseded)} as superseded_agents, ${agents(sql`e.dismissed_at is null`)} as open_agents,
        ${agents(isDismissed)} as dismissed_agents, count(distinct e.agent_id) as agents
      from agent_errors as e join agents on agents.id = e.agent_id
      group by e.group_id order by e.group_id`.execute(this.first.database.write);
    return rows;
  }

  async #countedPairs(): Promise<unknown[]> {
    const { rows } = await sql`
      select e.group_id, e.agent_id, ${errorsThat(isCurrent)} as current_errors,
        ${errorsThat(isSuperseded)} as superseded_errors, ${errorsThat(isDismissed)} as dismissed_errors
      from agent_errors as e join agents on agents.id = e.agent_id
      group by e.group_id, e.agent_id order by 1, 2`.execute(this.first.database.write);
    return rows;
  }
}

/** On SQLite, the writer's thread does it. */
async function followAgents(trx: Kysely<Tables>, _groups: unknown, moment: PartitionsMoment) {
  const moreIn = await followAgentsOnPostgres(trx, moment);
  return { ...nothingNoted, hasMore: moreIn.length > 0, moreIn };
}

const integer = testEngine === 'sqlite' ? sql`integer` : sql`bigint`;
const isCurrent = sql`e.dismissed_at is null and e.epoch = agents.epoch`;
const isSuperseded = sql`e.dismissed_at is null and e.epoch <> agents.epoch`;
const isDismissed = sql`e.dismissed_at is not null`;

function errorsThat(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`count(case when ${condition} then 1 end)`;
}

function inTransaction(
  { database }: Pick<StageReplica, 'database'>,
  change: (trx: Kysely<Tables>) => Promise<boolean>,
): Promise<boolean> {
  return database.write.transaction().execute(async (trx) => {
    const isFound = await change(trx);
    if (isFound) await noteCredentialChange(trx);
    return isFound;
  });
}
