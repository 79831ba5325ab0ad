import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccessToken } from '@muster/contract';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callAgentErrors } from '../../server/src/testing/calls/agent-error-calls.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import {
  openPostgresSession,
  type PostgresSession,
} from '../../server/src/testing/postgres/postgres-session.ts';
import { startTestApp, type TestApp } from '../../server/src/testing/start-test-app.ts';
import { createTestClock } from '../../server/src/testing/test-clock.ts';
import { dropTestDatabase } from '../../server/src/testing/test-database.ts';

const dayMilliseconds = 86_400_000;

/** SQLite has one transaction at a time. */
describe('transactions that share rows', () => {
  const clock = createTestClock();
  let dataDirectory: string;
  let session: PostgresSession;
  let running: TestApp[];

  beforeEach(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
    session = await openPostgresSession(dataDirectory);
    running = [];
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await session.end();
    for (const replica of running) await replica.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  /** With a new administrator's token, which replaces the one of the replica before. */
  async function startReplica(): Promise<TestApp> {
    const replica = await startTestApp({ dataDirectory, clock, config: { retentionDays: 30 } });
    running.push(replica);
    return replica;
  }

  it('do not deadlock when the installation replaces a token that its user revokes', async () => {
    const replica = await startReplica();
    const { body: own } = await replica.request<AccessToken>('POST', '/v1/access_tokens', {
      as: { access: replica.admin },
      body: { name: 'laptop' },
    });
    const [initial] = await session.query<{ id: string }>(
      'select id from access_tokens where is_initial = 1',
    );

    await session.query('begin');
    await session.query('select 1 from access_tokens where id = $1 for update', [initial?.id]);
    const starting = startReplica();
    await session.waitForBlocked('access_tokens', 1);
    const revoking = replica.request('DELETE', `/v1/access_tokens/${initial?.id}`, {
      as: { access: own.token },
    });
    await session.waitForBlocked('access_tokens', 2);
    await session.query('commit');

    expect((await revoking).status).toBe(204);
    const restarted = await starting;
    expect((await restarted.request('GET', '/v1/me', { as: { access: restarted.admin } })).status).toBe(200);
    expect((await restarted.request('GET', '/v1/me', { as: { access: replica.admin } })).status).toBe(401);
  });

  it('lock errors of an agent in ascending order, whichever order they are found in', async () => {
    const replica = await startReplica();
    const errors = callAgentErrors(replica);
    const project = await replica.createProject();
    const { id: agentID } = await replica.registerAgent(project);
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three']) {
      ids.push((await errors.report(project, agentID, text)).body.id);
    }
    for (const id of ids.toReversed()) {
      await errors.dismiss(id);
      clock.advance(1_000);
    }
    clock.advance(31 * dayMilliseconds);

    await session.query('begin');
    await session.query('select 1 from agent_errors where id = $1 for update', [ids[0]]);
    const { id: otherProject } = await replica.createProject();
    // Retention starts after the deletion of a project.
    await replica.request('DELETE', `/v1/projects/${otherProject}`, { as: { access: replica.admin } });
    await session.waitForBlocked('delete from "agent_errors"', 1);
    const free = await session.query<{ id: string }>(
      'select id from agent_errors where agent_id = $1 and id <> $2 order by id for update skip locked',
      [agentID, ids[0]],
    );
    expect(free.map(({ id }) => id)).toEqual(ids.slice(1));
    await session.query('rollback');
    await eventually(async () =>
      expect(await session.query('select 1 from agent_errors where agent_id = $1', [agentID])).toEqual([]),
    );
  });

  it('take the number of credential changes last, right before they commit', async () => {
    const replica = await startReplica();
    const followers = followNumber();
    const project = await replica.createProject();
    const request = async (method: string, url: string, body?: unknown) => {
      const { status } = await replica.request(method, url, {
        as: { access: replica.admin },
        ...(body === undefined ? {} : { body }),
      });
      expect(status).toBeLessThan(300);
    };
    const token = await replica.createToken(project.id, ['*']);
    const { body: own } = await replica.request<AccessToken>('POST', '/v1/access_tokens', {
      as: { access: replica.admin },
      body: { name: 'laptop' },
    });
    const end = new Date(clock.now() + dayMilliseconds).toISOString();
    await request('PATCH', `/v1/project_tokens/${token.id}`, { permissions: ['read:*'], expiresAt: end });
    await request('DELETE', `/v1/project_tokens/${token.id}`);
    await request('DELETE', `/v1/access_tokens/${own.id}`);
    await request('DELETE', `/v1/projects/${project.id}`);
    await startReplica();
    expect(followers()).toEqual(['commit', 'commit', 'commit', 'commit', 'commit']);
  });
});

/** From now until mocks are restored: the statement that each transaction sends right after it has advanced the number, or both. */
function followNumber(): () => string[] {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  return () => {
    const byConnection = new Map<unknown, string[]>();
    query.mock.contexts.forEach((connection, index) => {
      const [config] = query.mock.calls[index] ?? [];
      const text =
        typeof config === 'string' ? config : (config as { readonly text: string } | undefined)?.text; // the other forms are not used
      const sent = byConnection.get(connection) ?? [];
      byConnection.set(connection, [...sent, text ?? '']);
    });
    // Both numbers are in one row: whoever advances both takes no other lock in between.
    const advances = (text = '') => text.startsWith('update "credential_changes"');
    return [...byConnection.values()].flatMap((texts) =>
      texts.filter((text, index) => advances(texts[index - 1]) && !advances(text)),
    );
  };
}
