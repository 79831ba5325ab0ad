import { formatNumber } from '../parts/amount.ts';

const count = (value: number, one: string, many: string) =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;
const agents = (value: number) => count(value, 'agent', 'agents');

export const rolloutsTexts = {
  title: 'Rollouts',
  rollout: 'Rollout',
  version: 'Version',
  state: 'State',
  reached: 'Reached',
  startedBy: 'Started by',
  started: 'Started',
  somebody: 'somebody who is gone',
  name: (number: number, fleet: string) => `${number} on ${fleet}`,
  heading: (number: number) => `Version ${number} on`,
  states: {
    running: 'Running',
    waiting: 'Waits',
    paused: 'Paused',
    stopped: 'Stopped',
    reverting: 'Stopped, goes back',
    reverted: 'Stopped, reverted',
    completed: 'Completed',
    superseded: 'Superseded',
  },
  none: 'None yet.',
  by: 'by',
  fromVersion: (number: number) => `from version ${number}`,
  agentsOf: agents,

  who: (value: number, all: number | undefined) =>
    all === undefined ? agents(value) : `${formatNumber(value)} of ${agents(all)}`,
  verdicts: {
    running: (applied: number) =>
      applied === 0
        ? 'No agent runs it yet.'
        : `So far nothing came with it: ${agents(applied)} ${applied === 1 ? 'runs' : 'run'} it.`,
    held: 'Held for a minute: something may have come with it. Nobody further gets it until that is settled.',
    completed: (applied: number) => `Completed: ${agents(applied)} ${applied === 1 ? 'runs' : 'run'} it.`,
    superseded: 'Another rollout of this fleet took its place.',
    person: (reason: string) => `Somebody decided it: ${reason}`,
    hardFailures: (who: string) => `Stopped by itself: ${who} refused it, crashed with it, or fell silent.`,
    newCause: (who: string) => `Stopped by itself: ${who} reported an error that the others do not have.`,
    unhealthy: (who: string) => `Stopped by itself: ${who} became unhealthy with it.`,
    notEnough: (who: string) => `Paused: not enough evidence, ${who} watched.`,
    silentSites: 'Waits for sites that do not deliver: their agents count only when they are back.',
    freeze: (stage: number, name: string) => `Stage ${stage} begins when the freeze '${name}' ends.`,
    approval: (stage: number) => `Waits for approval of stage ${stage}: muster rollout approve ID`,
    pending: (who: string) => `Completed, and ${who} did not show it yet.`,
    stopped: 'Stopped.',
  },
  passes: (stage: number, observed: number, all: number, soak: string) =>
    `Stage ${stage} passes when 90% of its agents were watched for ${soak}: so far ${formatNumber(observed)} of ${formatNumber(all)}.`,
  causeOfIt: 'See the cause',
  stages: 'Stages',
  stage: (number: number) => `Stage ${number}`,
  stageStates: {
    passed: 'Passed',
    watching: 'Watching',
    paused: 'Paused',
    stopped: 'Stopped',
    waits: 'Waits',
    notReached: 'Not reached',
  },
  watchedFor: (soak: string) => `watched ${soak}`,
  agents: 'Agents by how far they are',
  agentStates: {
    waiting: 'Waits',
    offered: 'Offered',
    downloaded: 'Downloaded',
    applied: 'Runs it',
    rejected: 'Refused it',
  },
  agent: 'Agent',
  statusNow: 'Status',
  whatChanges: 'What changes',

  pause: 'Pause…',
  resume: 'Resume…',
  promote: 'Skip the wait…',
  stop: 'Stop…',
  revert: 'Stop and revert…',
  acts: {
    pause: {
      title: 'Pause the rollout?',
      confirm: 'Pause',
      text: 'Agents that have the version keep it. Nobody further gets it.',
    },
    resume: {
      title: 'Resume the rollout?',
      confirm: 'Resume',
      text: 'It goes on with the stage in which it is.',
    },
    promote: {
      title: 'Skip the wait of this stage?',
      confirm: 'Skip the wait',
      text: 'The next stage begins at once, without what this one would have shown.',
    },
    stop: {
      title: 'Stop the rollout?',
      confirm: 'Stop',
      text: 'Agents that have the version keep it. It cannot be resumed.',
    },
    revert: {
      title: 'Stop and revert?',
      confirm: 'Stop and revert',
      text: 'Agents that have the version get the one before again.',
    },
  },
  reason: 'Reason',
  reasonText: 'It is kept in the audit log.',

  deploy: 'Deploy…',
  deployTitle: (number: number, fleet: string) => `Deploy version ${number} to ${fleet}`,
  how: 'How',
  inStages: 'In stages',
  allAtOnce: 'All at once, watched',
  firstAgents: 'First:',
  gate: 'A stage passes when 90% of its agents were watched in full. It stops by itself, and goes back, if a cause appears that the other agents do not have.',
  start: (value: number) => `Start with ${agents(value)}`,
  despiteBad: 'Deploy it although a rollout of it stopped by itself',
};
