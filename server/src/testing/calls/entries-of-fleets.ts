import { expect } from 'vitest';

const text = expect.any(String);
const aFleet = { kind: 'fleet', id: text, name: text } as const;
const fleet = { minFluentBitVersion: '', name: text, reporting: 'on', tags: [] };
const anotherVersion = () => [
  { action: 'fleet.updated', target: aFleet, before: { version: 2 }, after: { version: 3 } } as const,
];

const rolloutChange =
  (action: 'paused' | 'resumed' | 'approved' | 'stopped' | 'completed', state = 'running') =>
  () => [
    {
      action: `rollout.${action}`,
      target: aFleet,
      before: { stage: 1, state },
      after: { reason: 'to try', rolloutID: text, rule: 'person', version: 3 },
    } as const,
  ];

/** The entries of the audit log that the operations of fleets make in the credential table. */
export const entriesOfFleets = {
  createFleet: () => [
    { action: 'fleet.created', target: aFleet, after: { ...fleet, version: null } } as const,
  ],
  updateFleet: () => [
    { action: 'fleet.updated', target: aFleet, before: { tags: [] }, after: { tags: ['eu'] } } as const,
  ],
  deleteFleet: () => [{ action: 'fleet.deleted', target: aFleet, before: fleet } as const],
  moveAgents: () => [
    {
      action: 'fleet.agents_moved',
      target: aFleet,
      before: { fleets: [text] },
      after: { agentsCount: 1, agentIDs: [text] },
    } as const,
  ],
  updateFleetVariables: () => [
    { action: 'fleet.variables_changed', target: aFleet, after: { names: ['region'] } } as const,
  ],
  updateFleetSecrets: () => [
    { action: 'fleet.secrets_changed', target: aFleet, after: { names: ['key'] } } as const,
  ],
  createFleetFile: anotherVersion,
  updateFleetFile: anotherVersion,
  deleteFleetFile: anotherVersion,
  createFleetVersion: () => [
    { action: 'fleet.version_created', target: aFleet, after: { note: null, version: 3 } } as const,
  ],
  updateFreezeWindows: () => [
    {
      action: 'project.updated',
      target: { kind: 'project', id: text, name: text },
      before: { freezeWindows: [] },
      after: { freezeWindows: [] },
    } as const,
  ],
  pauseRollout: rolloutChange('paused'),
  resumeRollout: rolloutChange('resumed', 'paused'),
  approveRollout: rolloutChange('approved', 'waiting'),
  stopRollout: rolloutChange('stopped'),
  revertRollout: rolloutChange('stopped'),
  promoteRollout: rolloutChange('completed'),
};
