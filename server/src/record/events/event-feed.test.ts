import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../foundation/credentials/principal.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { withResolvers } from '../../foundation/with-resolvers.ts';
import { eventually } from '../../testing/eventually.ts';
import { EventFeedStage, operator, type StagedListener } from '../../testing/stages/event-feed-stage.ts';
import { testEngine } from '../../testing/test-database.ts';
import type { EventFeed } from './event-feed.ts';

let stage: EventFeedStage;
let projects = 0;

beforeAll(async () => {
  stage = await EventFeedStage.open();
});

afterAll(async () => {
  await stage.close();
  expect(stage.failures).toEqual([]);
});

async function createProject(events: number): Promise<string> {
  projects += 1;
  const id = `0192f0a0-0000-7000-8000-${String(projects).padStart(12, '0')}`;
  if (events > 0) await stage.addEvents(id, events);
  return id;
}

/** A check that a test holds back. */
function createGate() {
  const reached = withResolvers<void>();
  const opened = withResolvers<void>();
  return {
    reached: reached.promise,
    open: () => opened.resolve(),
    pass: async () => {
      reached.resolve();
      await opened.promise;
    },
  };
}

const idsOf = ({ events }: StagedListener) => events().map(({ id, type }) => `${type} ${id}`);
const registered = (...ids: number[]) => ids.map((id) => `agent.registered ${id}`);

async function expectEvents(staged: StagedListener, expected: readonly string[]): Promise<void> {
  await eventually(() => expect(idsOf(staged)).toEqual(expected));
}

/** How often something happens in each turn of the event loop. */
function countByTurn() {
  const counts: number[] = [];
  let isCounting = false;
  const note = (): void => {
    if (isCounting) {
      counts.push((counts.pop() ?? 0) + 1);
      return;
    }
    counts.push(1);
    isCounting = true;
    setImmediate(() => {
      isCounting = false;
    });
  };
  return { counts, note };
}

function countWritesByTurn(responses: readonly ServerResponse[]): number[] {
  const { counts, note } = countByTurn();
  for (const response of responses) {
    const write = response.write.bind(response) as (text: string) => boolean; // what listeners call
    response.write = (text: string) => {
      note();
      return write(text);
    };
  }
  return counts;
}

/** Waits until nothing more is sent: a listener of another project gets an event that comes after everything else. */
async function settle(feed: EventFeed): Promise<void> {
  const projectID = await createProject(1);
  const last = await stage.listen(feed, projectID, { position: 0 });
  await expectEvents(last, registered(1));
  await feed.close();
  feed.remove(last.listener);
  last.socket.destroy();
}

describe('a look of the feed', () => {
  it('leaves alone a listener that joins while it is under way', async () => {
    const projectID = await createProject(3);
    const gate = createGate();
    const feed = stage.createFeed({ requireProject: gate.pass });
    const first = await stage.listen(feed, projectID, { position: 2 });
    await gate.reached;
    await stage.addEvents(projectID, 2);
    // It begins behind the events that the look has found: that is no reset.
    const second = await stage.listen(feed, projectID, { position: 5 });
    gate.open();
    await expectEvents(first, registered(3, 4, 5));
    await stage.addEvents(projectID, 1);
    feed.wake();
    await expectEvents(second, registered(6));
    await expectEvents(first, registered(3, 4, 5, 6));
  });

  it('leaves alone a listener that joins while it reads how far the events go', async () => {
    const projectID = await createProject(3);
    const gate = createGate();
    const feed = stage.createFeed({ requireProject: gate.pass });
    const first = await stage.listen(feed, projectID, { position: 2, isHeldBack: true });
    const second = await stage.listen(feed, projectID, { position: 5, isHeldBack: true });
    // The read has begun, and finds three events.
    feed.add(first.listener);
    feed.add(second.listener);
    await gate.reached;
    await stage.addEvents(projectID, 2);
    gate.open();
    await expectEvents(first, registered(3, 4, 5));
    await stage.addEvents(projectID, 1);
    feed.wake();
    await expectEvents(first, registered(3, 4, 5, 6));
    await expectEvents(second, registered(6));
  });

  it('sends nothing that was committed after the check of the credential', async () => {
    const projectID = await createProject(3);
    const gate = createGate();
    const feed = stage.createFeed({ requireProject: gate.pass });
    let isRevoked = false;
    const renew = async (): Promise<Principal> => {
      if (isRevoked) throw new Refusal('invalid_credential');
      return operator;
    };
    const staged = await stage.listen(feed, projectID, { position: 2, renew });
    await gate.reached;
    isRevoked = true;
    await stage.addEvents(projectID, 1);
    gate.open();
    feed.wake();
    await staged.ended;
    expect(idsOf(staged)).toEqual(registered(3));
    expect(stage.ends.splice(0)).toEqual(['refused']);
  });

  it('sends nothing to a listener that it has not checked', async () => {
    const projectID = await createProject(3);
    const gate = createGate();
    const feed = stage.createFeed({ requireProject: gate.pass });
    const first = await stage.listen(feed, projectID, { position: 2 });
    await gate.reached;
    const refused = async () => {
      throw new Refusal('revoked_credential');
    };
    const second = await stage.listen(feed, projectID, { position: 0, renew: refused });
    gate.open();
    await second.ended;
    expect(idsOf(second)).toEqual([]);
    await expectEvents(first, registered(3));
    expect(stage.ends.splice(0)).toEqual(['refused']);
  });

  it('judges each listener by its own credential', async () => {
    const projectID = await createProject(1);
    const otherID = await createProject(1);
    const ofProject = (id: string, grants: readonly ['read:agent' | 'read:token']): Principal => ({
      kind: 'project',
      tokenID: id,
      name: 'token',
      projectID: id,
      grants,
      expiresAt: null,
    });
    const feed = stage.createFeed();
    const [own, foreign, narrowed, named] = await Promise.all([
      stage.listen(feed, projectID, { position: 0, principal: ofProject(projectID, ['read:agent']) }),
      stage.listen(feed, projectID, { position: 0, principal: ofProject(otherID, ['read:agent']) }),
      stage.listen(feed, projectID, { position: 0, principal: ofProject(projectID, ['read:token']) }),
      stage.listen(feed, projectID, {
        position: 0,
        types: 'agent.registered',
        principal: ofProject(projectID, ['read:token']),
      }),
    ]);
    await Promise.all([foreign.ended, named.ended]);
    await expectEvents(own, registered(1));
    await settle(feed);
    expect([foreign, narrowed, named].map(idsOf)).toEqual([[], [], []]);
    expect(narrowed.listener.position).toBe(1);
    expect(stage.ends.splice(0)).toEqual(['refused', 'refused']);
  });

  it('does not wait for a check that takes long, and asks no second time meanwhile', async () => {
    const projectID = await createProject(1);
    const gate = createGate();
    const feed = stage.createFeed({ maxCheckMilliseconds: 1 });
    let checks = 0;
    const renew = async () => {
      checks += 1;
      await gate.pass();
      return operator;
    };
    const waiting = await stage.listen(feed, projectID, { position: 0, renew });
    const other = await stage.listen(feed, projectID, { position: 0 });
    await expectEvents(other, registered(1));
    await stage.addEvents(projectID, 1);
    feed.wake();
    await expectEvents(other, registered(1, 2));
    expect([checks, idsOf(waiting)]).toEqual([1, []]);
    gate.open();
    await eventually(async () => {
      feed.wake();
      expect(idsOf(waiting)).toEqual(registered(1, 2));
    });
  });

  it('waits for the identity provider or the database to come back, and ends nothing meanwhile', async () => {
    const projectID = await createProject(1);
    const feed = stage.createFeed();
    let isAway = true;
    const renew = async () => {
      if (isAway) throw new Refusal('identity_provider_unavailable');
      return operator;
    };
    const staged = await stage.listen(feed, projectID, { position: 0, renew });
    await settle(feed);
    expect(idsOf(staged)).toEqual([]);
    isAway = false;
    feed.wake();
    await expectEvents(staged, registered(1));
    expect(stage.ends).toEqual([]);
  });

  it('tells a listener whose next events are removed while it is read for', async () => {
    const projectID = await createProject(5);
    const gate = createGate();
    const feed = stage.createFeed({ requireProject: gate.pass });
    const staged = await stage.listen(feed, projectID, { position: 1 });
    await gate.reached;
    await stage.removeThrough(projectID, 3);
    gate.open();
    feed.wake();
    await expectEvents(staged, ['reset 5']);
    await stage.addEvents(projectID, 1);
    feed.wake();
    await expectEvents(staged, ['reset 5', ...registered(6)]);
  });

  it('brings listeners that are behind by different numbers of events up to date, each in order', async () => {
    const projectID = await createProject(1_200);
    const feed = stage.createFeed();
    const all = await Promise.all(
      Array.from({ length: 25 }, (_, index) => stage.listen(feed, projectID, { position: index * 48 })),
    );
    for (const [index, staged] of all.entries()) {
      const first = index * 48 + 1;
      const expected = Array.from({ length: 1_200 - first + 1 }, (_, offset) => first + offset);
      await expectEvents(staged, registered(...expected));
    }
  });

  it('writes little in one turn of the event loop, and all events of a listener at once', async () => {
    const projectID = await createProject(20);
    const feed = stage.createFeed();
    const listeners = await Promise.all(
      Array.from({ length: 300 }, () => stage.listen(feed, projectID, { position: 0, isHeldBack: true })),
    );
    const writes = countWritesByTurn(listeners.map(({ response }) => response));
    for (const { listener } of listeners) feed.add(listener);
    await Promise.all(
      listeners.map((staged) =>
        expectEvents(staged, registered(...Array.from({ length: 20 }, (_, index) => index + 1))),
      ),
    );
    expect(writes.reduce((sum, count) => sum + count, 0)).toBe(300);
    expect(Math.max(...writes)).toBeLessThanOrEqual(64);
    // Also the signs that a silent connection is there.
    stage.clock.advance(15_000);
    writes.length = 0;
    feed.wake();
    await settle(feed);
    expect(writes.reduce((sum, count) => sum + count, 0)).toBe(300);
    expect(Math.max(...writes)).toBeLessThanOrEqual(64);
  });

  it('checks few credentials in one turn of the event loop', async () => {
    const projectID = await createProject(1);
    const feed = stage.createFeed();
    const { counts, note } = countByTurn();
    const renew = async () => {
      note();
      return operator;
    };
    const listeners = await Promise.all(
      Array.from({ length: 300 }, () =>
        stage.listen(feed, projectID, { position: 0, renew, isHeldBack: true }),
      ),
    );
    for (const { listener } of listeners) feed.add(listener);
    await Promise.all(listeners.map((staged) => expectEvents(staged, registered(1))));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(300);
    expect(Math.max(...counts)).toBeLessThanOrEqual(64);
  });

  it('writes long events in fewer listeners per turn', async () => {
    const projectID = await createProject(0);
    await stage.addEvents(projectID, 1, 'x'.repeat(8_192 * 15));
    const feed = stage.createFeed();
    const listeners = await Promise.all(
      Array.from({ length: 40 }, () => stage.listen(feed, projectID, { position: 0, isHeldBack: true })),
    );
    const writes = countWritesByTurn(listeners.map(({ response }) => response));
    for (const { listener } of listeners) feed.add(listener);
    await Promise.all(listeners.map((staged) => expectEvents(staged, registered(1))));
    expect(Math.max(...writes)).toBeLessThanOrEqual(4);
  });

  // What is written to clients does not depend on the engine that it was read from, and these read many megabytes.
  it.runIf(testEngine === 'sqlite')(
    'writes no more to a client that does not read, cuts it after 5 s, and does not delay the others',
    async () => {
      const projectID = await createProject(0);
      const feed = stage.createFeed();
      const slow = await stage.listen(feed, projectID, { position: 0, isPaused: true });
      const fast = await stage.listen(feed, projectID, { position: 0 });
      const large = 'x'.repeat(100_000);
      for (let count = 0; count < 150; count += 50) await stage.addEvents(projectID, 50, large);
      feed.wake();
      await eventually(() => expect(fast.listener.position).toBe(150));
      await eventually(() => expect(fast.events().length).toBe(150));
      expect(slow.listener.isBlocked).toBe(true);
      expect(slow.listener.position).toBeLessThan(150);
      // One event more than what Node takes before it says that it is enough.
      expect(slow.response.writableLength).toBeLessThan(2 * large.length);
      stage.clock.advance(4_999);
      feed.wake();
      await settle(feed);
      expect(stage.ends).toEqual([]);
      stage.clock.advance(1);
      feed.wake();
      await slow.ended;
      expect(stage.ends.splice(0)).toEqual(['slow']);
      expect(fast.listener.isOpen).toBe(true);
    },
  );

  it.runIf(testEngine === 'sqlite')(
    'cuts a client that does not read as soon as its credential is refused',
    async () => {
      const projectID = await createProject(0);
      const feed = stage.createFeed();
      let isRevoked = false;
      const renew = async (): Promise<Principal> => {
        if (isRevoked) throw new Refusal('revoked_credential');
        return operator;
      };
      const slow = await stage.listen(feed, projectID, { position: 0, isPaused: true, renew });
      for (let count = 0; count < 150; count += 50) await stage.addEvents(projectID, 50, 'x'.repeat(100_000));
      feed.wake();
      await eventually(() => expect(slow.listener.isBlocked).toBe(true));
      isRevoked = true;
      stage.clock.advance(1_000);
      feed.wake();
      await slow.ended;
      expect(stage.ends.splice(0)).toEqual(['refused']);
    },
  );
});
