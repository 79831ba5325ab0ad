import { formatNumber } from '../parts/amount.ts';

const agents = (value: number) => `${formatNumber(value)} ${value === 1 ? 'agent' : 'agents'}`;

export const fleetValuesTexts = {
  title: 'Variables and secrets',
  titleOf: (fleet: string) => `Variables and secrets of ${fleet}`,
  what: 'What the configuration of the fleet names instead of writing it out. A value for an agent goes before one for a tag, and that before one for the fleet.',
  name: 'Name',
  value: 'Value',
  hidden: 'nobody can read it',
  for: 'For',
  forFleet: 'for the fleet',
  forTag: 'for agents with the tag',
  forAgent: 'for the agent',
  use: 'Use',
  used: 'used',
  unused: 'not used',
  changed: 'Changed',
  by: 'By',
  somebody: 'somebody who is gone',
  none: 'Nothing is set',
  noneText:
    'What differs between agents need not be in different fleets: set a variable, and write {{vars.NAME}} in the configuration. What nobody may read is a secret: {{secrets.NAME}}.',
  noneForReaders: 'The configuration of this fleet is written out, without variables and secrets.',

  setVariable: 'Set a variable…',
  setSecret: 'Set a secret…',
  change: 'Change…',
  remove: 'Remove…',
  titles: { vars: 'Set a variable', secrets: 'Set a secret' },
  changeTitle: (written: string) => `Change ${written}`,
  confirm: 'Set',
  confirmFor: (value: number) => `Set it on ${agents(value)}`,
  set: (written: string) => `${written} is set`,
  same: 'It had this value already',
  nameText: (written: string) => `The configuration writes ${written}.`,
  nameFormat: 'Letters, digits and . _ - after a letter; at most 64.',
  valueText: 'One line.',
  secretText: 'At least 6 characters. Nobody can read it again: only agents get it.',
  subjects: { fleet: 'The whole fleet', tag: 'Agents with a tag', agent: 'One agent' },
  labels: { tag: 'Tag', agent: 'Agent' },
  tagUnknown: (tag: string) => `No agent of the fleet has the tag “${tag}” yet.`,
  agentText: 'Its name or its id.',
  agentUnknown: 'No agent of the fleet has this name.',
  agentsAlike: 'Several agents have this name. Write the id of one of them.',

  reach: {
    unused: 'No configuration that agents get uses it: nothing changes for them.',
    nobody: 'No agent is in this fleet yet.',
    fleet: (value: number) =>
      value === 1
        ? 'The agent gets it at once and without a rollout, as soon as it asks: within about 15 seconds.'
        : `All ${agents(value)} get it at once and without a rollout, as soon as they ask: within about 15 seconds.`,
    tag: 'Its agents with the tag get it at once and without a rollout: within about 15 seconds.',
    agent: 'The agent gets it at once and without a rollout: within about 15 seconds.',
  },
  tryFirst: {
    vars: 'To try a value on some agents first, set it for a tag that they have.',
    secrets:
      'To replace it stage by stage, set the new one under another name, and roll out a version that uses that name.',
  },

  removeTitle: (written: string) => `Remove ${written}?`,
  removeConfirm: 'Remove',
  removed: (written: string) => `${written} is removed`,
  removeText: {
    fleet:
      'Agents without a value of their own would have none: that is refused while the configuration uses it.',
    other: 'Agents get what is set for a tag that they have, or for the fleet, at once.',
  },
};
