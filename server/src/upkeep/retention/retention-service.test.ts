import { expect, it } from 'vitest';
import { RetentionService } from './retention-service.ts';

it('begins a run only when the previous one has ended, however often it is called', async () => {
  const events: string[] = [];
  const ends: (() => void)[] = [];
  const nothing = async () => undefined;
  const retention = new RetentionService({
    handleLeaks: async () => undefined,
    forgetAgents: async () => undefined,
    agentErrors: {
      purgeDeletedAgents: () =>
        new Promise((resolve) => {
          events.push('begins');
          ends.push(resolve);
        }),
      purgeDeletedProjects: nothing,
      dismissSuperseded: nothing,
      purgeDismissed: async () => void events.push('ends'),
    },
    dismissals: { purge: nothing },
    agents: { purgeDeleted: nothing },
    auditLog: { purge: async () => undefined },
    events: { purge: async () => undefined },
    rotations: { purge: async () => undefined },
    tokens: { purge: async () => undefined },
    purgeInvitations: async () => undefined,
    purgeSessions: async () => undefined,
    purgeAlerts: async () => undefined,
    purgeCoreInstances: async () => undefined,
    clock: () => 0,
    closing: new AbortController().signal,
    retentionDays: 30,
    dismissSupersededDays: 7,
    errorGroups: { groupAll: nothing, removeEmpty: nothing },
    onFailure: (error) => events.push(String(error)),
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
