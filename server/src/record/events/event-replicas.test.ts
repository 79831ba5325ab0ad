import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { countingPartitionOf } from '../../foundation/database/counting-partition.ts';
import { eventually } from '../../testing/eventually.ts';
import { openPostgresSession, type PostgresSession } from '../../testing/postgres/postgres-session.ts';
import {
  type EventStream,
  listen,
  openEventStream,
  type ReceivedEvent,
} from '../../testing/receivers/event-stream.ts';
import { ErrorGroupStage } from '../../testing/stages/error-group-stage.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase } from '../../testing/test-database.ts';
import { partitionsWithEvents } from './event-note-store-postgres.ts';

const clock = createTestClock();
const directory = mkdtempSync(join(tmpdir(), 'muster-events-'));
const apps: TestApp[] = [];
let session: PostgresSession;
let project: TestProject;
let admin: TestApp;
const streams: EventStream[] = [];

beforeAll(async () => {
  for (let count = 0; count < 2; count += 1) {
    const options = {
      clock,
      dataDirectory: directory,
      groupIntervalMilliseconds: 5,
      eventPollMilliseconds: 5,
    };
    const app = await startTestApp(options);
    await listen(app);
    apps.push(app);
    // The last start has set the administrator's token.
    admin = app;
  }
  session = await openPostgresSession(directory);
});

afterAll(async () => {
  await session.end();
  for (const app of apps) await app.close();
  rmSync(directory, { recursive: true });
  await dropTestDatabase(directory);
});

beforeEach(async () => {
  project = await admin.createProject();
});

afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});

function replica(number: number): TestApp {
  const app = apps[number];
  if (app === undefined) throw new Error('there are two replicas');
  return app;
}

async function open(
  number: number,
  options: { token?: string; lastEventID?: string; query?: string } = {},
): Promise<EventStream> {
  const { token, ...others } = options;
  const as = token === undefined ? { access: admin.admin } : { project: token };
  const stream = await openEventStream(replica(number), project.id, { as, ...others });
  streams.push(stream);
  return stream;
}

const onlyTokens = { query: '?types=token.*', lastEventID: '0' };
const summaryOf = (events: readonly ReceivedEvent[]) =>
  events.map(({ id, type, data }) => [Number(id), type, data.name]);

describe('events that wait in the counts of their cause', () => {
  it('are looked for by their partition, however many wait in another one', async () => {
    const stage = await ErrorGroupStage.open();
    const { database } = stage.first;
    if (database.engine !== 'postgres') throw new Error('this is about PostgreSQL');
    const { postgres } = database;
    const projectID = await stage.addProject();
    await postgres.query(
      `insert into event_folds (group_id, project_id, written_at, waiting)
       select gen_random_uuid(), '${projectID}', 0, 1 from generate_series(1, 20000)`,
      [],
    );
    await postgres.query('analyze event_folds', []);
    const sent = vi.spyOn(postgres, 'query');
    expect(await partitionsWithEvents(database)).toEqual([countingPartitionOf(projectID)]);
    const [statement = ''] = sent.mock.calls.map(([text]) => text);
    sent.mockRestore();
    const plan = JSON.stringify(await postgres.query(`explain (format json) ${statement}`, []));
    expect(plan).toContain('event_folds_waiting');
    await stage.close();
  });
});

describe('events on several replicas', () => {
  it('reach the listeners of the other replicas, in the same order', async () => {
    const all = [await open(0, { lastEventID: '0' }), await open(1, { lastEventID: '0' })];
    for (const number of [0, 1, 0, 1]) {
      const { id } = await replica(number).registerAgent(project);
      await replica(number).request('POST', `/v1/agents/${id}/errors`, {
        as: { project: project.token },
        body: { error: 'no route to the host' },
      });
      // The second is over: what is created next is told at once.
      clock.advance(1_000);
    }
    const [first, second] = await Promise.all(
      all.map((stream) =>
        eventually(() => {
          const registered = stream.events.filter(({ type }) => type === 'agent.registered');
          const created = stream.events.filter(({ type }) => type === 'agent_error.created');
          expect(registered.length).toBe(4);
          expect(created.reduce((sum, { data }) => sum + Number(data.count), 0)).toBe(4);
          return stream.events;
        }),
      ),
    );
    expect(first).toEqual(second);
    expect(first?.map(({ id }) => Number(id))).toEqual(first?.map((_, index) => index + 1));
  });

  it('are not skipped if their transaction was begun before others, and is committed after them', async () => {
    const { id: late } = await admin.createToken(project.id, []);
    const { id: agentID } = await admin.registerAgent(project);
    const { body: error } = await admin.request<{ id: string }>('POST', `/v1/agents/${agentID}/errors`, {
      as: { project: project.token },
      body: { error: 'disk is full' },
    });
    const query = '?types=token.*,agent.registered,agent_error.*';
    const listener = await open(0, { lastEventID: '0', query });
    await eventually(() => expect(listener.text()).toContain('agent_error.created'));
    const before = listener.events.length;

    await session.query('begin');
    await session.query(`update project_tokens set name = 'late' where id = $1`, [late]);
    await session.query(`update agent_errors set dismissed_at = 1, dismiss_reason = 'late' where id = $1`, [
      error.id,
    ]);
    await admin.createToken(project.id, []);
    await admin.registerAgent(project);
    const early = await listener.take(before + 2);
    await session.query('commit');
    const events = await listener.take(before + 4);
    expect(events.slice(0, before + 2)).toEqual(early);
    expect(events.slice(before).map(({ type, data }) => [type, data.name ?? data.count])).toEqual([
      ['token.created', 'test'],
      ['agent.registered', 'web-01'],
      ['token.updated', 'late'],
      ['agent_error.dismissed', 1],
    ]);
    // A listener that was away meanwhile gets them too.
    const resumed = await open(1, { lastEventID: early.at(-1)?.id ?? '', query });
    expect(await resumed.take(2)).toEqual(events.slice(before + 2));
  });

  it('are neither lost nor doubled if the process that numbers them is cut off in the middle', async () => {
    const listener = await open(1, onlyTokens);
    await listener.take(1);
    for (let round = 1; round <= 3; round += 1) {
      await session.query('begin');
      await session.query('select 1 from event_sequences where project_id = $1 for update', [project.id]);
      await admin.createToken(project.id, []);
      await session.waitForBlocked('insert into event_sequences', 1);
      await session.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into event_sequences%'`,
      );
      // Whoever goes on waits for the same lock.
      await session.waitForBlocked('insert into event_sequences', 1);
      await session.query('commit');
      await listener.take(round + 1);
    }
    await admin.createToken(project.id, []);
    const events = await listener.take(5);
    expect(summaryOf(events)).toEqual([
      [1, 'token.created', 'default'],
      ...[2, 3, 4, 5].map((id) => [id, 'token.created', 'test']),
    ]);
  });

  it('that are made after the answer to a revocation never reach its listeners, on any replica', async () => {
    const kept = [await open(0, { lastEventID: '0' }), await open(1, { lastEventID: '0' })];
    for (let round = 0; round < 8; round += 1) {
      const revoked = await admin.createToken(project.id, ['read:*']);
      const listeners = [
        await open(0, { token: revoked.token }),
        await open(1, { token: revoked.token }),
        await open(round % 2, { token: revoked.token, lastEventID: '0' }),
      ];
      // They have been passed something.
      await admin.createToken(project.id, []);
      for (const listener of listeners) await listener.take(1);
      await replica(round % 2).request('DELETE', `/v1/project_tokens/${revoked.id}`, {
        as: { access: admin.admin },
      });
      const { body } = await replica((round + 1) % 2).request<{ id: string }>(
        'POST',
        `/v1/projects/${project.id}/tokens`,
        { as: { access: admin.admin }, body: { name: 'made', permissions: [] } },
      );
      const made = body.id;
      for (const listener of kept) await eventually(() => expect(listener.text()).toContain(made));
      for (const listener of listeners) {
        await listener.ended;
        expect(listener.text()).not.toContain(made);
        const ends = listener.events.filter(
          ({ type, data }) => type === 'token.revoked' && data.tokenID === revoked.id,
        );
        expect(ends).toEqual([]);
      }
    }
  });

  it('of types that a credential may no longer read never reach its listeners', async () => {
    const narrowed = await admin.createToken(project.id, ['read:agent', 'read:token']);
    const listeners = [await open(0, { token: narrowed.token }), await open(1, { token: narrowed.token })];
    const named = await open(0, { token: narrowed.token, query: '?types=agent.*' });
    const { id: first } = await admin.registerAgent(project);
    for (const listener of [...listeners, named]) {
      await eventually(() => expect(listener.text()).toContain(first));
    }
    await replica(1).request('PATCH', `/v1/project_tokens/${narrowed.id}`, {
      as: { access: admin.admin },
      body: { permissions: ['read:token'] },
    });
    const { id: second } = await admin.registerAgent(project);
    const { id: last } = await admin.createToken(project.id, []);
    for (const [place, listener] of [...listeners, named].entries()) {
      await listener.ended;
      expect(listener.text()).not.toContain(second);
      if (listener === named) continue;
      const again = await open(place, {
        token: narrowed.token,
        lastEventID: listener.events.at(-1)?.id ?? '0',
      });
      await eventually(() => expect(again.text()).toContain(last));
      expect(again.text()).not.toContain(second);
    }
  });

  it('of another project never reach a listener, whatever number it asks for', async () => {
    const other = await admin.createProject();
    const own = await open(0, {
      token: (await admin.createToken(project.id, ['read:*'])).token,
      lastEventID: '0',
    });
    const foreign = await openEventStream(replica(1), project.id, {
      as: { project: (await admin.createToken(other.id, ['*'])).token },
      lastEventID: '0',
    });
    streams.push(foreign);
    expect(foreign.status).toBe(404);
    for (let count = 0; count < 20; count += 1) await admin.createToken(other.id, []);
    const { id } = await admin.registerAgent(project);
    await eventually(() => expect(own.text()).toContain(id));
    expect(own.events.map(({ type }) => type)).toEqual([
      'token.created',
      'token.created',
      'agent.registered',
    ]);
  });
});
