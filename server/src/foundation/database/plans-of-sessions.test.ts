import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { takesAllRounds } from '../../../../test/rounds.ts';
import type { DismissalRunner } from '../../errors/dismissals/dismissal-runner.ts';
import { startUndo } from '../../errors/dismissals/dismissal-store.ts';
import { addRepeats } from '../../errors/reporting/repeat-store.ts';
import { readEvidence } from '../../fleet/fleets/rollouts/evidence-store.ts';
import { listUpdatedAgents } from '../../fleet/fleets/rollouts/new-cause-store.ts';
import type { RolloutRow } from '../../fleet/fleets/rollouts/rollout-store.ts';
import { DismissalStage } from '../../testing/stages/dismissal-stage.ts';
import { ErrorGroupStage } from '../../testing/stages/error-group-stage.ts';

/** Rows of each large table. A statement that looks at all of them for each of them looks at the square. */
const manyRows = takesAllRounds ? 2_000 : 1_000;
/** Of the small ones: with fewer, PostgreSQL prefers a new plan for each execution of a prepared statement. */
const fewRows = 16;
/** Enough for PostgreSQL to keep the plan of a prepared statement. */
const executions = 8;

/** A node of a plan with the rows that it has looked at. */
interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** PostgreSQL only: statements on SQLite name their index. */
describe('a session whose plans are from small tables', () => {
  let stage: ErrorGroupStage;
  let runner: DismissalRunner;
  let jobs: DismissalStage;
  let projectID: string;
  /** What each statement has looked at, also those of triggers. */
  let looked: { readonly query: string; readonly rows: number }[];
  let texts = 0;
  let connect: MockInstance;

  beforeEach(async () => {
    looked = [];
    connect = vi.spyOn(pg.Client.prototype, 'connect');
    stage = await ErrorGroupStage.open();
    jobs = new DismissalStage(stage);
    runner = await jobs.startRunner();
    projectID = await stage.addProject();
    const session = connect.mock.contexts.at(-1);
    if (!(session instanceof pg.Client)) throw new Error('the stage is connected');
    session.on('notice', ({ message }) => notePlan(message ?? ''));
    connect.mockClear();
    for (const statement of [
      "load 'auto_explain'",
      ...Object.entries({
        log_min_duration: '-1',
        log_analyze: 'on',
        log_timing: 'off',
        log_nested_statements: 'on',
        log_format: 'json',
        log_level: 'notice',
      }).map(([name, value]) => `set auto_explain.${name} = '${value}'`),
      ...[
        'agents',
        'agent_errors',
        'agent_error_groups',
        'agent_error_group_agents',
        'agent_error_changes',
      ].map((table) => `alter table ${table} set (autovacuum_enabled = false)`),
    ])
      await query(statement);
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await stage.close();
  });

  function query(text: string): Promise<unknown> {
    const { database } = stage.first;
    if (database.engine !== 'postgres') throw new Error('this is about PostgreSQL');
    return database.postgres.query(text, []);
  }

  function notePlan(message: string): void {
    const json = message.slice(message.indexOf('{'));
    if (!message.includes('plan:')) return;
    const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode };
    looked.push({ query: text, rows: rowsOf(plan) });
  }

  /** What a rollout is judged by, whose version every second agent runs, and which began just before the latest errors. */
  async function lookAtRollout(): Promise<void> {
    const now = stage.clock.now();
    const fleetID = stage.newID();
    await query(`delete from fleet_agents where project_id = '${projectID}'`);
    await query(`insert into fleet_agents (project_id, agent_id, fleet_id, handle, offered_seconds, offered_at, downloaded_seconds,
        downloaded_at, confirmed_at, applied_seconds)
      select project_id, id, '${fleetID}', id, 1 + nth, ${now - 900}, 1 + nth, ${now - 900}, ${now - 900}, 1 + nth
      from (select *, row_number() over (order by id) % 2 as nth from agents where project_id = '${projectID}') as agents`);
    await query(`insert into agent_states (project_id, agent_id, status, type, version)
      select project_id, id, 'unhealthy', '', '' from agents where project_id = '${projectID}'
      on conflict (project_id, agent_id) do update set status = 'unhealthy'`);
    const rollout: RolloutRow = {
      id: stage.newID(),
      project_id: projectID,
      fleet_id: fleetID,
      from_version_id: fleetID,
      to_version_id: fleetID,
      to_seconds: 2,
      back_seconds: null,
      stages: JSON.stringify([{ agentsCount: 1, soakSeconds: 60, sharedCount: 0 }]),
      on_failure: 'revert',
      approval: 'none',
      approvals: '[]',
      max_per_minute: null,
      despite_freeze: 0,
      reason: '',
      state: 'running',
      verdict: null,
      evidence: null,
      history: '[]',
      stage: 0,
      stage_started_at: now - 900,
      stage_agents: 1,
      unseen_ms: 0,
      looked_at: now,
      held_until: null,
      held_ms: 0,
      shared_given: 0,
      revision: 1,
      started_at: now - 900,
      started_by_kind: 'system',
      started_by_id: null,
      started_by_name: null,
      ended_at: null,
      from_number: 1,
      to_number: 2,
      fleet_name: 'edge',
      fleet_deleted_at: null,
      freeze_windows: '[]',
    };
    const { read } = stage.first.database;
    const { evidence } = await readEvidence(read, 'postgres', rollout, now);
    expect(evidence.causes.length).toBeGreaterThan(0);
    await listUpdatedAgents(read, 'postgres', rollout, now);
  }

  /** Everything that a report, an operator and the service itself do to errors, with these agents. */
  async function useAll(agentIDs: readonly string[]): Promise<void> {
    const [agentID = ''] = agentIDs;
    stage.clock.advance(1_000);
    texts += 1;
    const text = `cannot reach ${String.fromCharCode(96 + texts)} zone`;
    const created = await reportOfAll(agentIDs, text);
    // Repeats, and a single one.
    await reportOfAll(agentIDs, text);
    await stage.report(agentID, projectID, ['disk full']);
    await stage.first.counter.drain();
    await lookAtRollout();
    const lastSeenAt = stage.clock.now();
    await addRepeats(
      stage.first.database.write,
      'postgres',
      created.map(([agentID, id]) => ({ agentID, id, count: 1, lastSeenAt })),
    );
    await stage.first.counter.drain();
    await stage.dismiss(agentID, created[0]?.[1] ?? '');
    await stage.configure(agentID);
    const dismissalID = await jobs.request(projectID, { all: true }, runner);
    while (await runner.takeTurn(dismissalID, projectID));
    await stage.first.counter.drain();
    await startUndo(stage.first.database.write, dismissalID, { kind: 'user', id: null }, runner.lease());
    while (await runner.takeTurn(dismissalID, projectID));
    await stage.first.counter.drain();
  }

  async function reportOfAll(agentIDs: readonly string[], error: string): Promise<[string, string][]> {
    const reports = agentIDs.map((agentID) => {
      const id = stage.newID();
      return { id, agentID, projectID, error, createdAt: stage.clock.now(), generation: 1 };
    });
    await stage.first.reports(reports);
    return reports.map(({ agentID, id }) => [agentID, id]);
  }

  it.each(['nothing was analyzed', 'they were analyzed'])(
    'looks at few rows in each statement when they have grown, where %s',
    async (state) => {
      const few: string[] = [];
      for (let count = 0; count < fewRows; count += 1) few.push(await stage.addAgent(projectID));
      for (let count = 0; count < executions; count += 1) await useAll(few);
      if (state === 'they were analyzed') {
        await query('vacuum analyze');
        for (let count = 0; count < executions; count += 1) await useAll(few);
      }
      const agentIDs: string[] = [];
      for (let count = 0; count < manyRows; count += 1) agentIDs.push(await stage.addAgent(projectID));
      await query(`insert into agent_error_groups (
          id, project_id, pattern, example, fold_version, first_seen_at, last_seen_at)
        select gen_random_uuid(), '${projectID}', 'other ' || n, 'other ' || n, 1, 0, 0
        from generate_series(1, ${manyRows}) as n`);
      // Each statement comes so late that its connection discards its plans.
      let now = performance.now();
      vi.spyOn(performance, 'now').mockImplementation(() => {
        now += 10_000;
        return now;
      });
      await query('set auto_explain.log_min_duration = 0');
      await useAll(agentIDs);
      // Nothing has used another session.
      expect(connect).not.toHaveBeenCalled();
      const most = looked.reduce((one, other) => (other.rows > one.rows ? other : one));
      expect(most.rows, most.query).toBeLessThan(60 * manyRows);
    },
  );
});

function rowsOf(node: PlanNode): number {
  const own =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), own * node['Actual Loops']);
}
