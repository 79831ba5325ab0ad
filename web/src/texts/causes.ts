import { formatNumber } from '../parts/amount.ts';

const agents = (count: number) => (count === 1 ? '1 agent' : `${formatNumber(count)} agents`);
const errors = (count: number) => (count === 1 ? '1 error' : `${formatNumber(count)} errors`);

export const causesTexts = {
  title: 'Causes',
  description: 'Errors with the same cause are one row, however many agents report them.',
  totals: (causes: number, unhealthy: number, lastHour: number) =>
    [
      causes === 1 ? '1 open cause.' : `${causes === 0 ? 'No' : formatNumber(causes)} open causes.`,
      unhealthy > 0 && `${agents(unhealthy)} ${unhealthy === 1 ? 'is' : 'are'} unhealthy.`,
      lastHour > 0 && `${formatNumber(lastHour)} began in the last hour.`,
    ]
      .filter(Boolean)
      .join(' '),
  lateCounts: (age: string) => `Counts are ${age} old: more was stored since then, and is being counted.`,
  lastHour: 'Last hour',
  cause: 'Cause',
  agents: 'Agents',
  share: 'Of all agents',
  reports: 'Reports',
  since: 'Since',
  sinceWord: 'since',
  agentsWord: (count: number) => (count === 1 ? 'agent' : 'agents'),
  alone: 'alone',
  lastSeen: 'Last seen',
  state: 'State',
  states: { open: 'Open', earlier: 'Superseded', dismissed: 'Dismissed', muted: 'Muted' },
  search: 'Search in causes',
  sort: 'Order',
  sorts: {
    lastSeen: 'Last seen first',
    agents: 'Most agents first',
    occurrences: 'Most reports first',
    firstSeen: 'Newest first',
  },
  fleet: 'Fleet',
  allFleets: 'All fleets',
  isDismissed: 'Dismissed',
  isOpen: 'Open',
  none: 'No open errors',
  noneText: 'Every agent runs without an error of its present configuration. To try it, report one:',
  noneCommand: `(umask 077; muster token create agents --quiet > agent-token)
echo "[error] connection refused" | muster report - --token-file agent-token`,
  noMatch: 'No cause matches these filters',
  noMatchText: 'Change the filters, or clear the search.',
  dismissSelected: 'Dismiss…',
  assign: 'Assign…',
  assigned: (count: number) =>
    count === 1 ? 'The cause is changed' : `${formatNumber(count)} causes are changed`,
  assignTitle: (count: number) =>
    count === 1 ? 'Assign and note' : `Assign and note ${formatNumber(count)} causes`,
  assignConfirm: 'Save',
  assignee: 'Assigned to',
  assignedHeader: 'Assigned',
  nobodyAssigned: 'Nobody',
  asItIs: 'As it is',
  note: 'Note',
  noteExample: 'Such as: asking the platform team to stop it',
  link: 'Link',
  noteTitle: 'Who looks after it',
  looksAfterIt: 'Assigned to',
  changedBy: 'Changed by',
  removedUser: 'a removed user',
  dismissMatching: 'Dismiss all that match…',
  toDismissals: 'Dismissals',
  // One cause
  agentsOf: agents,
  headline: (count: number, share: string | undefined, predicate: string) =>
    `${agents(count)}${share === undefined ? '' : ` (${share})`} ${predicate}`,
  nobody: (title: string) => `No agent has “${title}” now`,
  nobodyUnnamed: 'No agent has this error now',
  allInFleet: 'All in fleet',
  haveIt: (affected: number, all: number, name: string) =>
    all === 1
      ? `The one agent with ${name} ${affected === 1 ? 'has it.' : 'does not have it.'}`
      : affected === all
        ? `All ${agents(all)} with ${name} have it.`
        : `${formatNumber(affected)} of ${agents(all)} with ${name} ${affected === 1 ? 'has' : 'have'} it.`,
  ownChanges: 'Single agents changed too, each to a configuration that no other agent has.',
  ownConfigurations: 'Most of them have another configuration: this one is of the first agent.',
  othersHaveIt: (affected: number, all: number) =>
    affected === 0
      ? all === 1
        ? 'The other agent does not have it.'
        : `None of the ${formatNumber(all)} other agents has it.`
      : `${formatNumber(affected)} of the ${formatNumber(all)} other agents ${affected === 1 ? 'has' : 'have'} it too.`,
  ofAll: (share: string, all: number) => `${share} of ${agents(all)}.`,
  sinceStart: 'Since',
  after: 'after',
  with: 'with',
  withConfig: 'with configuration',
  lastReportedAt: 'Last reported',
  afterItBegan: (duration: string, isBack: boolean) =>
    `${duration} after it ${isBack ? 'came back' : 'began'}`,
  cameBackAt: 'Came back',
  firstSeenAt: 'first seen',
  whatChanged: 'What changed',
  firstOn: 'first on',
  at: 'at',
  changedLines: (added: number, removed: number) =>
    `${added === 1 ? '1 line' : `${formatNumber(added)} lines`} added, ${formatNumber(removed)} removed`,
  nothingChanged: 'No change of a configuration is known from the day before it began.',
  beganWith: (isBack: boolean) => (isBack ? 'It came back with' : 'It began with'),
  othersNow: (isBack: boolean) =>
    isBack ? '. Most of its agents run another one now.' : '. None of its agents runs it now.',
  agentsWithCause: 'Agents with this cause',
  agentsUnit: 'agents',
  changedAt: (name: string, agent: string) => `${name}, first on ${agent}`,
  range: 'Time of the chart',
  ranges: { hour: 'Hour', day: 'Day', month: '30 days' },
  whoHasIt: 'Who has it',
  withConfiguration: (name: string) => `With ${name} now`,
  otherAgents: 'Other agents',
  countOf: (affected: number, all: number) => `${formatNumber(affected)} of ${formatNumber(all)}`,
  whoElse: 'Who else changed',
  changedAgents: (count: number) => `${agents(count)} got another configuration`,
  afterwards: (name: string) => `After ${name}:`,
  nobodyBefore: 'No agent got another configuration in the last 24 hours before it began.',
  nobodyElse: 'Nobody else got another configuration in the last 24 hours.',
  askPort: (port: string) => `Ask port ${port} from`,
  theAgent: 'an agent that has it:',
  askBefore: (name: string) => `If it is refused, ask what stood there before ${name}:`,
  putBack: (name: string) =>
    `If that answers, put back what was before ${name}, with the tool that wrote it.`,
  putBackAlone: (name: string) =>
    `All of this began with ${name}: put back what was before it, with the tool that wrote it.`,
  putVersionBack: (number: number, port: string | undefined, change: string | undefined) =>
    port !== undefined
      ? `If ${port} answers, put version ${number} back.`
      : change === undefined
        ? `A version brought it: put version ${number} back.`
        : `All of this began with ${change}: put version ${number} back.`,
  backInStages: 'In stages, 1 agent first.',
  backToAgents: (count: number) =>
    `${agents(count)} that ${count === 1 ? 'has' : 'have'} the newer one ${count === 1 ? 'gets' : 'get'} it at once.`,
  closesItself: 'The cause closes by itself when its agents run another configuration without it.',
  otherReasons: 'what it means, and why it happens',
  elseToDo: 'If it is something else:',
  whatToDo: 'What to do',
  didYouMean: 'Did you mean',
  documentation: 'Documentation of the agent',
  notKnown:
    'This error is not in the catalogue of known errors. The examples below show its texts as the agents sent them.',
  examples: 'Example texts',
  noExamples: 'No open error has this cause any more.',
  affectedAgents: 'Agents',
  noAgents: 'No agent has an open error with this cause.',
  agent: 'Agent',
  destination: 'Where',
  firstReport: 'First report',
  showAgents: (count: number) => `Show all ${agents(count)}`,
  reportedTimes: (count: number) => (count === 1 ? 'reported once' : `reported ${formatNumber(count)} times`),
  mutedUntil: 'Muted until',
  // Dismissing
  dismissTitle: 'Dismiss errors',
  preview: (errorsCount: number, agentsCount: number, supersededCount: number) =>
    errorsCount === 0
      ? 'No open error matches now.'
      : `This dismisses ${errors(errorsCount)} on ${agents(agentsCount)}${supersededCount === 0 ? '' : `, ${formatNumber(supersededCount)} of them superseded`}.`,
  counting: 'Counting…',
  matching: (text: string) => `Every open error whose text contains “${text}”.`,
  reason: 'Reason',
  reasonHint: 'Others read it in the list of dismissals.',
  reasonExample: 'Fixed by the new password',
  dismissed: (count: number) => `${errors(count)} dismissed.`,
  dismissing: (count: number) => `${errors(count)} dismissed so far; the rest follows in the background.`,
  reopened: (count: number, agentsCount: number) =>
    `The dismissal is undone: ${errors(count)} on ${agents(agentsCount)} ${count === 1 ? 'is' : 'are'} open again.`,
  reopening: (count: number) =>
    `The dismissal is being undone: ${errors(count)} ${count === 1 ? 'is' : 'are'} open again so far.`,
  reopenedSome: (count: number, others: number) =>
    `The dismissal is undone: ${errors(count)} ${count === 1 ? 'is' : 'are'} open again; ${formatNumber(others)} ${others === 1 ? 'was' : 'were'} reported or changed since.`,
  happeningTitle: 'This is still happening',
  stillReported: (recent: number, causes: number, agentsNow: number) =>
    causes === 1
      ? `It was reported in the last minute, and is on ${agents(agentsNow)}.`
      : `${formatNumber(recent)} of these ${formatNumber(causes)} causes ${recent === 1 ? 'was' : 'were'} reported in the last minute.`,
  backAtOnce: (causes: number) =>
    causes === 1
      ? 'Dismissed now, it comes back with the next report. Mute it to keep it quiet until something changes.'
      : 'Dismissed now, they come back with the next reports. Mute them to keep them quiet until something changes.',
  othersDismissed: (count: number) =>
    `${count === 1 ? 'The other one is' : `The other ${formatNumber(count)} are`} dismissed in any case.`,
  untilConfiguration: 'Mute until the next configuration',
  untilConfigurationText: 'An agent that still has it after a change opens the cause again.',
  untilAgents: 'Mute until it is on this many agents',
  agentsOrMore: 'Agents or more',
  muteForTime: 'Mute for a time',
  dismissAnyway: 'Dismiss anyway',
  opensAgain: 'New reports open it as “Came back”.',
  dismissConfirm: (isHappening: boolean) => (isHappening ? 'Dismiss anyway' : 'Dismiss'),
  // Muting
  mute: 'Mute…',
  unmute: 'Unmute',
  muteTitle: (count: number) => (count > 1 ? `Mute ${formatNumber(count)} causes` : 'Mute this cause'),
  muteText: 'New errors with this cause are stored as dismissed until then. Open errors stay open.',
  mutedAlready: (count: number) =>
    count === 1
      ? 'One cause is muted already, and stays as it is.'
      : `${formatNumber(count)} causes are muted already, and stay as they are.`,
  muteConfirms: {
    configuration: 'Mute until the next configuration',
    agents: 'Mute until it is on more agents',
    time: 'Mute',
  },
  muteFor: 'How long',
  muteTimes: { hour: 'An hour', day: 'A day', week: 'A week', month: '30 days' },
  muteExample: 'Known until the update on Monday',
  mutedDone: (kind: 'configuration' | 'agents' | 'time', count: number) =>
    `${count > 1 ? `${formatNumber(count)} causes are` : 'The cause is'} muted${
      { configuration: ' until the next configuration', agents: ' until it is on more agents', time: '' }[
        kind
      ]
    }.`,
  muteEnds: (withConfiguration: boolean, agentsCount: number | null) =>
    withConfiguration
      ? 'or until the next configuration'
      : agentsCount === null
        ? ''
        : `or until it was on ${agents(agentsCount)}`,
  muteSelected: 'Mute…',
  unmuted: 'The cause is no longer muted.',
};
