import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgresSession, type PostgresSession } from '../../../testing/postgres/postgres-session.ts';
import { readRows } from '../../../testing/rows/read-rows.ts';
import { ErrorGroupStage } from '../../../testing/stages/error-group-stage.ts';
import { noSigns } from '../liveness/signs-of-agent.ts';
import { addSigns } from '../liveness/signs-store.ts';

let stage: ErrorGroupStage;
let session: PostgresSession;

beforeAll(async () => {
  stage = await ErrorGroupStage.open();
  session = await openPostgresSession(stage.directory);
});

afterAll(async () => {
  await session.end();
  await stage.close();
});

it('is counted by what it reported, although it was heard while its silence was noted', async () => {
  const { database, counter } = stage.first;
  const projectID = await stage.addProject();
  const agent = await stage.addAgent(projectID);
  const beat = { ...noSigns(), firstBeatAt: stage.clock.now(), lastBeatAt: stage.clock.now() };
  const signs = { ...beat, seenAt: stage.clock.now(), promisedMilliseconds: 30_000 };
  await addSigns(database, new Map([[agent, signs]]), stage.clock.now());
  await counter.catchUp();
  stage.clock.advance(600_000);
  await stage.report(agent, projectID, ['broken']);
  await session.query('begin');
  await session.query('update agent_signs set seen_at = $1', [stage.clock.now()]);
  const counted = counter.catchUp();
  await session.waitForBlocked('update agent_signs', 1);
  await session.query('commit');
  await counted;
  stage.clock.advance(1_000);
  await counter.catchUp();
  expect(await readRows(stage.directory, 'select status from agent_states')).toEqual([
    { status: 'unhealthy' },
  ]);
  expect(stage.failures).toEqual([]);
});
