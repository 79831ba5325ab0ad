import { hash } from 'node:crypto';
import {
  type CoreInstanceBatch,
  createClient,
  createCoreInstance,
  createToken,
  sendCoreInstanceBatch,
} from '@muster/client';
import { formatToken } from '@muster/contract';
import { createNewID } from '../../../server/src/foundation/clock.ts';
import type { Dashboard } from './start-dashboard.ts';

const minute = 60_000;

interface SiteIDs {
  /** Not heard for 29 minutes, with three agents and lost reports. */
  readonly unreachable: string;
  /** Items wait there for four minutes. */
  readonly lagging: string;
  readonly laggingToken: string;
  readonly running: string;
  /** Never heard. */
  readonly waiting: string;
  /** Behind the unreachable one: it sends heartbeats. */
  readonly silentAgent: string;
}

/** A site in each state. */
export async function seedSites(dashboard: Dashboard): Promise<SiteIDs> {
  const { admin, app, address } = dashboard;
  const { clock } = app.test;
  const projectID = app.project.id;
  const maker = await createToken(admin, {
    projectID,
    body: { name: 'sites', permissions: ['create:core_instance'] },
  });
  const makers = createClient({ url: address, credential: { projectToken: maker.token } });
  const { body: agentsToken } = await app.test.request<{ id: string }>('GET', '/v1/project_tokens/self', {
    as: { project: app.project.token },
  });
  const sequences = new Map<string, number>();
  const nextSequence = (token: string): number => {
    const next = (sequences.get(token) ?? 0) + 1;
    sequences.set(token, next);
    return next;
  };
  const create = (name: string) => createCoreInstance(makers, { body: { name } });
  const send = (token: string, status: object, items: CoreInstanceBatch['items'] = []) =>
    sendCoreInstanceBatch(createClient({ url: address, credential: { coreInstanceToken: token } }), {
      body: {
        protocol: 1,
        sequence: nextSequence(token),
        status: {
          version: '0.1.0',
          startedAt: clock.now() - 600 * minute,
          spooledCount: 0,
          spooledBytes: 0,
          oldestSpooledAt: null,
          lostCount: 0,
          lastLossAt: null,
          sentAt: clock.now(),
          ...status,
        },
        items: [...items],
      },
    });
  const newID = createNewID(clock.now, (bytes) => crypto.getRandomValues(new Uint8Array(bytes)));
  const registration = (name: string, heartbeatSeconds?: number) => ({
    kind: 'registration' as const,
    at: clock.now(),
    agentID: newID(),
    tokenDigest: hash('sha256', formatToken('agent', crypto.getRandomValues(new Uint8Array(32)))),
    tokenID: agentsToken.id,
    agent: { name, machineID: name, ...(heartbeatSeconds === undefined ? {} : { heartbeatSeconds }) },
  });

  const plant = await create('plant-7');
  const weld = registration('p7-weld-01', 30);
  const press = registration('p7-press-04');
  const at = clock.now();
  await send(plant.token, { lostCount: 1_204, lastLossAt: at - minute }, [
    weld,
    registration('p7-press-01'),
    press,
    {
      kind: 'errors',
      by: { tokenID: agentsToken.id },
      agentID: press.agentID,
      errors: [{ error: 'HTTP status=429, not retrying', firstAt: at, lastAt: at, count: 1 }],
    },
  ]);
  const store = await create('store-north');
  const till = registration('till-01');
  await send(store.token, {}, [till]);
  const headquarters = await create('hq-frankfurt');
  const own = registration('hq-01');
  await send(headquarters.token, {}, [own]);
  const beats = (agentID: string, count: number) =>
    Array.from({ length: count }, () => ({
      kind: 'heartbeat' as const,
      at: clock.now(),
      agentID,
      by: { tokenID: agentsToken.id },
      heartbeat: {},
    }));
  for (let past = 0; past < 29; past += 1) {
    clock.advance(minute);
    const waiting = {
      spooledCount: 12_310,
      spooledBytes: 4_200_000,
      oldestSpooledAt: clock.now() - 4 * minute,
    };
    await send(store.token, waiting, beats(till.agentID, past < 20 ? 20 : 150));
    await send(headquarters.token, {}, beats(own.agentID, 40 + (past % 3)));
  }
  const lab = await create('lab');
  return {
    unreachable: plant.id,
    lagging: store.id,
    laggingToken: store.token,
    running: headquarters.id,
    waiting: lab.id,
    silentAgent: weld.agentID,
  };
}
