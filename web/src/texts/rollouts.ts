import { formatNumber } from '../parts/amount.ts';

const count = (value: number, one: string, many: string) =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;
const agents = (value: number) => count(value, 'agent', 'agents');

interface ActTexts {
  readonly title: string;
  readonly confirm: string;
  /** Of the next stage and its agents, which are undefined if there is none. */
  readonly text: (stage: number, agents?: number) => string;
}

export const rolloutsTexts = {
  title: 'Rollouts',
  rollout: 'Rollout',
  version: 'Version',
  state: 'State',
  reached: 'Reached',
  came: 'What came with it',
  cameWords: {
    newCause: (count: number) => `a cause on ${agents(count)}`,
    on: (count: number) => `on ${agents(count)}`,
    unhealthy: (count: number) => `something new on ${agents(count)}`,
    failed: (count: number) => `refused by, or fatal to ${agents(count)}`,
    soFar: 'nothing so far',
    nothing: 'nothing',
  },
  now: {
    stage: (number: number, stage: number, stages: number, state: string) =>
      `Version ${number}: stage ${stage} of ${stages}, ${state === 'running' ? 'watching' : state === 'waiting' ? 'waits' : 'paused'}`,
    stopped: (number: number) => `Version ${number} stopped at`,
    reached: (count: number) => `reached ${agents(count)}`,
    areBack: (number: number, left: number) =>
      left === 0 ? `, all are back on ${number}` : `, ${formatNumber(left)} of them still run it`,
    goBack: (number: number) => `, they go back to ${number}`,
  },
  startedBy: 'Started by',
  started: 'Started',
  somebody: 'somebody who is gone',
  somebodyDid: 'Somebody',
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
    held: 'Held: something may have come with it.',
    completed: (applied: number) => `Completed: ${agents(applied)} ${applied === 1 ? 'runs' : 'run'} it.`,
    superseded: 'Another rollout of this fleet took its place.',
    person: (who: string, reason: string) => `${who} decided it: ${reason}`,
    hardFailures: (who: string) => `Stopped by itself: ${who} refused it, crashed with it, or fell silent.`,
    newCause: (who: string) => `Stopped by itself: ${who} reported an error that the others do not have.`,
    unhealthy: (who: string) => `Stopped by itself: ${who} became unhealthy with it.`,
    notEnough: (who: string) => `Paused: not enough evidence, ${who} watched.`,
    silentSites: 'Waits for sites that do not deliver: their agents count only when they are back.',
    freeze: (stage: number, name: string) =>
      `Stage ${stage - 1} has passed. Stage ${stage} begins when the freeze “${name}” ends.`,
    approval: (stage: number) => `Stage ${stage - 1} has passed. Stage ${stage} waits for approval.`,
    pending: (who: string) => `Completed, and ${who} did not show it yet.`,
    stopped: 'Stopped.',
  },
  heldOn: (count: number, all: number) =>
    all === 1
      ? 'The one updated agent'
      : count === all
        ? `All ${formatNumber(all)} updated agents`
        : `${formatNumber(count)} of the ${formatNumber(all)} updated agents`,
  somethingNew: (count: number) => `${count === 1 ? 'reports' : 'report'} something new`,
  othersHaveIt: (count: number, all: number) =>
    all === 0
      ? ''
      : all === 1
        ? `The one other agent of the fleet ${count === 0 ? 'does not have it' : 'has it too'}.`
        : count === 0
          ? `None of the ${formatNumber(all)} other agents of the fleet has this.`
          : `${formatNumber(count)} of the ${formatNumber(all)} other agents of the fleet ${count === 1 ? 'has' : 'have'} it too.`,
  /** Of agents that are on neither side of the comparison. */
  unheard: (count: number) =>
    count === 0
      ? ''
      : `Not compared: ${agents(count)} that ${count === 1 ? 'was' : 'were'} offline, stopped or unknown.`,
  heldStart: 'Nobody further gets it. It stops by itself at',
  heldEnd: 'if that is still so.',
  stillWatched:
    'Until then, the agents that have the version are watched, and it stops by itself if they get worse.',
  getIt: (value: number) => `${agents(value)} ${value === 1 ? 'gets' : 'get'} it then.`,
  freezeEnds: 'It lasts until',
  freezeHasNoEnd: 'It does not end within two months.',
  freezeEnded: 'It has ended: the stage begins within seconds.',
  atMost: (value: number) => `At most ${agents(value)} a minute.`,
  needsApproval: 'Each stage but the first has to be approved.',
  passes: (stage: number, observed: number, all: number, soak: string) =>
    `Stage ${stage} passes when 90% of its agents were watched for ${soak}: so far ${formatNumber(observed)} of ${formatNumber(all)}.`,
  stoppedAt: 'Stopped by itself at',
  lineSays: {
    port: (line: number, value: string) => `line ${line} sends to port ${value}`,
    host: (line: number, value: string) => `line ${line} names ${value}`,
    url: (line: number, value: string) => `line ${line} names ${value}`,
    path: (line: number, value: string) => `line ${line} names ${value}`,
  },
  and: ', and ',
  couldNot: (count: number, all: number, predicate: string) =>
    `${all === 1 ? 'the one updated agent' : count === all ? `all ${formatNumber(all)} updated agents` : `${formatNumber(count)} of the ${formatNumber(all)} updated agents`} ${predicate}.`,
  hadIt: (all: number) => `of ${agents(all)} had it`,
  gotIt: (all: number) => `of ${agents(all)} got it`,
  othersHadIt: (count: number, all: number) =>
    all === 0
      ? ''
      : all === 1
        ? `The one other agent of the fleet ${count === 0 ? 'did not have this error' : 'had it too'}.`
        : count === 0
          ? `None of the ${formatNumber(all)} other agents of the fleet had this error.`
          : `${formatNumber(count)} of the ${formatNumber(all)} other agents of the fleet had it too.`,
  areBack: (number: number) => `Its agents are back on version ${number} since`,
  stillRun: (count: number) => `${agents(count)} still ${count === 1 ? 'runs' : 'run'} it.`,
  goBack: (number: number) => `Its agents are going back to version ${number}.`,
  keepIt: 'Its agents keep it until somebody reverts it.',
  whatWasWrong: 'What was wrong',
  wholeDifference: 'Whole difference',
  stageNotes: {
    nobody: 'Nobody got it',
    waits: (before: number, soak: string) => `Begins when stage ${before} passes, watched ${soak}`,
    since: 'Since',
    afterApproval: 'Begins when somebody approves it',
    afterFreeze: 'Begins when the freeze ends',
    paced: (value: number) => `${agents(value)} a minute, all of them by`,
    watching: (watched: number, soak: string) => `${formatNumber(watched)} watched for ${soak}`,
    stopped: (had: number, failed: number) =>
      `${formatNumber(had)} had applied it${failed === 0 ? '' : `, ${formatNumber(failed)} failed`}`,
  },
  evidence: {
    title: 'Evidence',
    bothGroups: 'the same time for both groups',
    stoodAt: 'as it stood at',
    kept: ', kept',
    compares: 'What the gate compares',
    updated: 'Updated agents',
    updatedShort: 'updated',
    others: 'Other agents',
    othersShort: 'others',
    stopsAt: 'Stops at',
    verdict: 'Verdict',
    aCause: 'A cause',
    causeStops: (needed: number, many: boolean) =>
      `${agents(needed)}, 3× as often${many ? ', not by chance' : ''}`,
    points: (points: number) => `+${formatNumber(points)} points`,
    needs: (count: number) => `needs ${formatNumber(count)} (90%)`,
    needsMore: (count: number) => `Needs ${formatNumber(count)} more`,
    needsAll: 'needs all',
    rows: {
      causes: 'Causes that came with it',
      failed: 'Refused, crashed or silent after the update',
      worse: 'Report anything new',
      watched: 'Watched in full',
      sites: 'Sites that do not report',
    },
    says: {
      came: 'Came with it',
      equal: 'Equal on both',
      nothing: 'Nothing new',
      none: 'None',
      few: 'Not enough to stop',
      tooMany: 'Too many',
      complete: 'Complete',
    },
  },
  history: {
    title: 'What happened',
    started: 'Started by',
    firstApplied: 'First agent applied it:',
    firstReport: 'First report of something new',
    steps: {
      held: () => 'Held: something may have come with it',
      released: () => 'Goes on: it was nothing',
      passed: (stage: number) => `Stage ${stage} passed, stage ${stage + 1} began`,
      promoted: (stage: number) => `The wait of stage ${stage} was skipped`,
      waiting: (stage: number) => `Stage ${stage} passed, stage ${stage + 1} waits`,
      approved: (stage: number) => `Stage ${stage + 1} was approved`,
      paused: () => 'Paused',
      resumed: () => 'Resumed',
      stopped: (stage: number) => `Stopped in stage ${stage}`,
      reverted: (_: number, before: number) => `All agents run version ${before} again`,
      completed: () => 'Completed: all agents get it',
    } satisfies Record<string, (stage: number, before: number) => string>,
  },
  reachedAgents: {
    title: 'Agents that had it',
    first: (count: number) => `the first ${formatNumber(count)}`,
    applied: 'Applied',
    firstError: 'First error',
  },
  deployAgain: 'Deploy again…',
  editAs: (number: number) => `Edit as version ${number}`,
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
  approve: 'Approve…',
  promote: 'Skip the wait…',
  stop: 'Stop…',
  revert: 'Stop and revert…',
  begin: 'Begin it despite the freeze…',
  acts: {
    pause: {
      title: 'Pause the rollout?',
      confirm: 'Pause',
      text: () => 'Agents that have the version keep it. Nobody further gets it.',
    },
    resume: {
      title: 'Resume the rollout?',
      confirm: 'Resume',
      text: () => 'It goes on with the stage in which it is.',
    },
    approve: {
      title: 'Approve the next stage?',
      confirm: 'Approve',
      text: (stage: number, value = 0) =>
        `Stage ${stage} begins, and ${agents(value)} ${value === 1 ? 'gets' : 'get'} the version. Your name and the reason are kept with the rollout.`,
    },
    promote: {
      title: 'Skip the wait of this stage?',
      confirm: 'Skip the wait',
      text: (stage: number, value?: number) =>
        value === undefined
          ? 'The rollout completes, and the version becomes the one of the fleet, without what this stage would have shown.'
          : `Stage ${stage} begins, and ${agents(value)} ${value === 1 ? 'gets' : 'get'} the version, without what this stage would have shown.`,
    },
    begin: {
      title: 'Begin the next stage?',
      confirm: 'Begin the stage',
      text: (stage: number, value = 0) =>
        `Stage ${stage} begins, and ${agents(value)} ${value === 1 ? 'gets' : 'get'} the version.`,
    },
    stop: {
      title: 'Stop the rollout?',
      confirm: 'Stop',
      text: () => 'Agents that have the version keep it. It cannot be resumed.',
    },
    revert: {
      title: 'Stop and revert?',
      confirm: 'Stop and revert',
      text: () => 'Agents that have the version get the one before again.',
    },
  } satisfies Record<string, ActTexts>,
  despiteFreeze: 'Do it despite the freeze',
  frozenUntil: (name: string) => `The freeze “${name}” lets no stage begin until`,
  frozen: (name: string) => `The freeze “${name}” lets no stage begin.`,
  despiteFreezeText: 'The audit log keeps which freeze that was.',
  reason: 'Reason',
  reasonText: 'It is kept in the audit log.',

  deploy: 'Deploy…',
  deployTitle: (number: number, fleet: string) => `Deploy version ${number} to ${fleet}`,
  putBackTitle: (number: number, fleet: string) => `Put version ${number} back on ${fleet}`,
  putBack: (number: number, fleet: string | undefined) =>
    `Put version ${number} back${fleet === undefined ? '' : ` on ${fleet}`}…`,
  putBackConfirm: 'Put it back',
  getItBack: (value: number, fleet: string | undefined) =>
    `${agents(value)} ${fleet === undefined ? '' : `of ${fleet} `}that ${value === 1 ? 'has' : 'have'} the newer one ${value === 1 ? 'gets' : 'get'} it at once. The others have it already.`,
  allGetIt: (stages: readonly { readonly agentsCount: number }[], fleet: string) => {
    const all = stages.reduce((sum, { agentsCount }) => sum + agentsCount, 0);
    return `${agents(all)} of ${fleet} ${all === 1 ? 'gets' : 'get'} it.`;
  },
  how: 'How',
  inStages: 'In stages',
  allAtOnce: 'All at once, watched',
  firstAgents: 'First:',
  gate: 'A stage passes when 90% of its agents were watched in full. It stops by itself, and goes back, if a cause appears that the other agents do not have.',
  canary: 'Agents with this tag first',
  canaryPlaceholder: 'any one agent',
  noCanary: (tag: string) => `No agent of this fleet has the tag “${tag}”.`,
  pace: 'At most so many agents a minute',
  pacePlaceholder: 'a whole stage at once',
  approval: 'Each stage but the first waits until somebody approves it',
  start: (value: number) => `Start with ${agents(value)}`,
  despiteBad: 'Deploy it although a rollout of it stopped by itself',
  causedBy: 'It came with fleet',
  alsoCausedBy: 'It also came with fleet',
  versionOf: (number: number) => `version ${number}`,
  versionOfDeleted: (number: number) => `version ${number}. The fleet has been deleted`,
  rolloutOf: (number: number) => `its rollout of version ${number} stopped by itself`,
  stoppedVersion: (number: number) => `Version ${number} was stopped on`,
  at: 'at',
  reachedOf: (count: number, all: number) =>
    `It reached ${formatNumber(count)} of ${formatNumber(all)} agents.`,
  areBackOn: (number: number) => `They are back on version ${number}.`,
};
