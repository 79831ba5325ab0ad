import { expect, it } from 'vitest';
import { RetentionService } from './retention-service.ts';

type Options = ConstructorParameters<typeof RetentionService>[0];

/** Each step calls `note` with its name. */
function createRetention(note: (step: string) => void | Promise<void>, options: Partial<Options> = {}) {
  const step = (name: string) => async () => note(name);
  return new RetentionService({
    handleLeaks: step('leaks'),
    forgetAgents: step('forgotten agents'),
    agentErrors: {
      purgeDeletedProjects: step('errors of deleted projects'),
      dismissSuperseded: step('superseded errors'),
      purgeDismissed: step('dismissed errors'),
    },
    agents: { purgeDeleted: step('deleted agents') },
    dismissals: { purge: step('dismissals') },
    errorGroups: { groupAll: step('grouping'), removeEmpty: step('empty groups') },
    events: { purge: step('events') },
    rotations: { purge: step('rotations') },
    tokens: { purge: step('tokens') },
    purgeInvitations: step('invitations'),
    purgeSessions: step('sessions'),
    purgeAlerts: step('alerts'),
    purgeCoreInstances: step('core instances'),
    purgeFleets: step('fleets'),
    auditLog: { purge: step('audit log') },
    isMoveUnderWay: async () => false,
    clock: () => 0,
    closing: new AbortController().signal,
    retentionDays: 30,
    dismissSupersededDays: 7,
    onFailure: () => undefined,
    ...options,
  });
}

const steps = [
  'leaks',
  'forgotten agents',
  'errors of deleted projects',
  'deleted agents',
  'superseded errors',
  'dismissed errors',
  'dismissals',
  'grouping',
  'empty groups',
  'events',
  'rotations',
  'tokens',
  'invitations',
  'sessions',
  'alerts',
  'core instances',
  'fleets',
  'audit log',
];

it('begins a run only when the previous one has ended, however often it is called', async () => {
  const events: string[] = [];
  const ends: (() => void)[] = [];
  const retention = createRetention((step) => {
    if (step === 'audit log') events.push('ends');
    if (step !== 'leaks') return undefined;
    return new Promise((resolve) => {
      events.push('begins');
      ends.push(resolve);
    });
  });
  const runs = Promise.all([retention.run(), retention.run(), retention.run()]);
  for (let run = 1; run <= 3; run += 1) {
    while (ends.length < run) await new Promise(setImmediate);
    // Long enough for another run to begin.
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    ends[run - 1]?.();
  }
  await runs;
  expect(events).toEqual(['begins', 'ends', 'begins', 'ends', 'begins', 'ends']);
  await retention.close();
});

it.each(steps)('goes on with the other steps after one has failed: %s', async (failing) => {
  const done: string[] = [];
  const failures: unknown[] = [];
  const failure = new Error('cannot be handled');
  const retention = createRetention(
    (step) => {
      if (step === failing) throw failure;
      done.push(step);
    },
    { onFailure: (error) => failures.push(error) },
  );
  await retention.run();
  // Empty groups are known only when all errors are in their groups.
  const left = failing === 'grouping' ? ['grouping', 'empty groups'] : [failing];
  expect(done).toEqual(steps.filter((step) => !left.includes(step)));
  expect(failures).toEqual([failure]);
  await retention.close();
});

it('removes nothing while a project moves, but deals with leaks', async () => {
  const done: string[] = [];
  let isMoving = true;
  const retention = createRetention((step) => void done.push(step), { isMoveUnderWay: async () => isMoving });
  await retention.run();
  expect(done).toEqual(['leaks']);
  isMoving = false;
  await retention.run();
  expect(done).toEqual(['leaks', ...steps]);
  await retention.close();
});

it('begins no further step when a project begins to move', async () => {
  const done: string[] = [];
  const retention = createRetention((step) => void done.push(step), {
    isMoveUnderWay: async () => done.includes('dismissed errors'),
  });
  await retention.run();
  expect(done).toEqual(steps.slice(0, steps.indexOf('dismissals')));
  await retention.close();
});

it('begins no further step after one has failed while the service closes', async () => {
  const done: string[] = [];
  const closing = new AbortController();
  const retention = createRetention(
    (step) => {
      done.push(step);
      if (step === 'tokens') closing.abort();
      if (step === 'sessions') throw new Error('no database');
    },
    { closing: closing.signal },
  );
  await retention.run();
  expect(done).toEqual(steps.slice(0, steps.indexOf('sessions') + 1));
  await retention.close();
});
