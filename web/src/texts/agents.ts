const count = (value: number, one: string, many: string) =>
  `${value.toLocaleString('en')} ${value === 1 ? one : many}`;

const agents = (value: number) => count(value, 'agent', 'agents');

interface FleetTotals {
  readonly unhealthy: number;
  readonly unknown: number;
  readonly all: number;
  readonly causes: number;
}

export const agentsTexts = {
  title: 'Agents',
  description: 'Each process that collects telemetry, the newest first.',
  whatIsWrong: 'What is wrong',
  since: 'Since',
  nothingWrong: 'Nothing',
  failed: 'Ended with a failure',
  agentsOf: (shown: string, value: number) => `${shown} ${value === 1 ? 'agent' : 'agents'}`,
  seeWhy: 'See why',
  seeSites: 'See sites',
  showMore: (value: number | undefined) =>
    value === undefined ? 'Show more' : `Show ${value.toLocaleString('en')} more`,
  grouping: 'Group',
  groupings: { wrong: 'By what is wrong', none: 'One list' },
  totals: ({ unhealthy, unknown, all, causes }: FleetTotals) =>
    [
      all === 0
        ? 'No agent has reported or registered.'
        : unhealthy === 0
          ? `None of ${agents(all)} is unhealthy.`
          : `${unhealthy.toLocaleString('en')} of ${agents(all)} ${unhealthy === 1 ? 'is' : 'are'} unhealthy${causes === 0 ? '' : `, for ${count(causes, 'cause', 'causes')}`}.`,
      unknown > 0 &&
        `${unknown.toLocaleString('en')} ${unknown === 1 ? 'is' : 'are'} unknown behind an unreachable site.`,
    ]
      .filter(Boolean)
      .join(' '),
  agent: 'Agent',
  name: 'Name',
  status: 'Status',
  version: 'Version',
  fleet: 'Fleet',
  tag: 'Tag',
  openErrors: 'Open errors',
  lastSeen: 'Last seen',
  search: 'Search by name or machine',
  allStatuses: 'All',
  allFleets: 'All fleets',
  fleetOption: (id: string, value: number) => `${id} (${value.toLocaleString('en')})`,
  anyVersion: 'Any version',
  anyTag: 'Any tag',
  none: 'No agents yet',
  noneText:
    'An agent appears here as soon as it reports an error, sends a heartbeat or is registered. To try it, register one:',
  noneCommand: 'muster agent register edge-1 --type fluentbit --snippet fluent-bit > muster.conf',
  noMatch: 'No agent matches these filters',
  noMatchText: 'Change the filters, or clear the search.',
  unknown: '–',
  deleteSelected: 'Delete…',
  deleteMatching: 'Delete all that match…',
  deleteTitle: (value: number | undefined) =>
    value === undefined ? 'Delete agents' : `Delete ${agents(value)}?`,
  deleteText:
    'Their tokens, errors and configurations are deleted too. This cannot be undone. An agent that still runs gets no access until it is registered again; it is a new agent then.',
  deleteTextMatching:
    'All agents that match the filters are deleted, including those that the list has not loaded. If more match when you confirm, none is deleted.',
  andMore: (value: number) => `and ${value.toLocaleString('en')} more`,
  typeCount: (value: number) => `Type ${value} to confirm`,
  deleteConfirm: 'Delete',
  deleted: (value: number) => `${agents(value)} deleted`,
  noneLeft: 'No agent matches any more.',
  moving: {
    ask: 'Move to another fleet…',
    askShort: 'Move…',
    title: (value: number) => `Move ${agents(value)} to another fleet`,
    confirm: (value: number) => `Move ${agents(value)}`,
    fleet: 'To the fleet',
    choose: 'Choose a fleet',
    andMore: (value: number) => ` and ${value.toLocaleString('en')} more`,
    tooMany: (most: number) => `At most ${agents(most)} can be moved at once. Select fewer.`,
    get: (value: number) => `${agents(value)} ${value === 1 ? 'gets' : 'get'}`,
    version: (number: number) => `version ${number}`,
    soon: (value: number) => `of this fleet with ${value === 1 ? 'its' : 'their'} next request.`,
    getNothing: 'This fleet serves nothing yet: they keep what they have until it does.',
    text: 'Nothing is changed on the hosts. All of them are moved, or none: an agent that asks with fleet_id cannot be moved. A rollout that is under way no longer waits for those that leave, and has those that come in its last stage.',
    done: (value: number, fleet: string) =>
      value === 0 ? `They are in ${fleet} already` : `${agents(value)} moved to ${fleet}`,
  },

  openErrorsOf: (value: number) => count(value, 'open error', 'open errors'),
  sinceLabel: 'since',
  lastHeard: 'Last heard',
  last: 'last',
  at: 'at',
  whenItChanged: 'when it changed to',
  afterItChanged: 'after it changed to',
  sentences: {
    healthy: 'works',
    offline: 'is not heard',
    stopped: 'has stopped',
    unknown: 'is not known to work',
  },
  hasFailed: 'has failed',
  hasError: 'has an open error',
  statusMeanings: {
    healthy: 'It runs, and has no open error of its present configuration.',
    unhealthy:
      'It ended with a failure, is in a crash loop, or has an open error of its present configuration.',
    offline:
      'It sends heartbeats, but none has arrived for three of its intervals, at least 90 seconds. Check the host, its network and whether the process runs.',
    stopped:
      'It reported that it ended without a failure. It is healthy again as soon as it sends something.',
    unknown:
      'The agent may well work: nothing arrives from its site. If the site still runs, it keeps what the agent sends, and that arrives with its own time. What stands below is from before.',
  },
  itsSite: 'Its site',
  siteUnreachable: 'is unreachable.',
  site: 'Site',
  identity: 'About it',
  shouldRun: 'Should run',
  runs: 'Runs',
  drift: 'drift',
  versionNumber: (version: number) => `version ${version}`,
  versionIs: {
    unknown: ', state not known',
    offered: ', offered',
    downloaded: ', downloaded',
    applied: '',
    rejected: ', refused',
  },
  lastHour: 'Last hour',
  hourText: (status: string, duration: string | undefined) =>
    duration === undefined ? `${status} all the time.` : `${status} for ${duration}.`,
  machine: 'Machine',
  id: 'ID',
  type: 'Type',
  edition: 'Edition',
  platform: 'System',
  tags: 'Tags',
  flags: 'Arguments',
  metadata: 'Metadata',
  registered: 'Registered',
  changed: 'Changed',
  noMetadata: 'None',
  token: 'Token',
  tokenText: 'Known to the agent alone: Muster keeps a digest of it.',
  reregistered: 'Registered again',
  reregisteredText:
    'by a caller that did not send the token of this agent. Make sure that you know the address:',
  never: 'never',
  releasedText: 'Its machine is released: the next registration needs no token of the agent.',
  release: 'Release…',
  releaseTitle: (name: string) => `Release the machine of ${name}?`,
  releaseText:
    'Its machine can then be registered once more without the token of the agent, for example after the host was installed anew. The present token stays valid until the new one is used. This matters only if the service runs with MUSTER_REGISTRATION=once.',
  releaseConfirm: 'Release',
  released: 'The machine is released for its next registration',
  delete: 'Delete…',
  deleteOneTitle: (name: string) => `Delete ${name}?`,
  deleteOneText:
    'Its token, errors and configurations are deleted too. This cannot be undone. If it still runs, it gets no access until it is registered again; it is a new agent then.',
  deletedOne: (name: string) => `${name} deleted`,
  isDeleted: 'This agent has been deleted',
  isUnknown: 'There is no such agent',
  isUnknownText: 'Its address is mistyped, or the agent belongs to another project.',
  isDeletedText: 'Its errors and configurations were deleted with it.',
  toAgents: 'Show all agents',

  errors: 'Errors',
  errorChoices: { open: 'Open', dismissed: 'Dismissed', all: 'All' },
  toCause: 'See why',
  othersHaveIt: (value: number) => `${count(value, 'other agent has', 'other agents have')} it too`,
  noErrors: 'No errors here',
  error: 'Error',
  reportedTimes: (value: number) =>
    value === 1 ? 'Reported once' : `Reported ${count(value, 'time', 'times')}`,
  ofEarlier: 'Superseded: of an earlier configuration.',
  dismissed: 'Dismissed',

  whatHappened: 'What happened',
  historyChoices: { all: 'All', errors: 'Errors', configurations: 'Configurations' },
  changedTo: 'Got',
  configuration: 'configuration',
  noConfigurations: 'The agent has sent no configuration',
  noConfigurationsText:
    'With its configuration, Muster shows which errors came with which change. Secrets in it are replaced before it is stored.',
  isCurrent: 'runs now',
  causesChanged: (came: number, went: number) =>
    came + went === 0
      ? 'no cause changed'
      : [
          came > 0 && count(came, 'new cause', 'new causes'),
          went > 0 && `${count(went, 'cause', 'causes')} gone`,
        ]
          .filter(Boolean)
          .join(', '),
  errorsOf: (value: number) => count(value, 'error', 'errors'),
  compareWith: 'Compare with',
  before: 'the one before it',
  change: 'What changed',
  changedLines: 'Changed lines',
  added: (value: number) => `+${value.toLocaleString('en')}`,
  removed: (value: number) => `−${value.toLocaleString('en')}`,
  lines: (added: number, removed: number) =>
    `${count(added, 'line', 'lines')} added, ${count(removed, 'line', 'lines')} removed`,
  showAllLines: (value: number) => `Show all ${value.toLocaleString('en')} lines`,
  sameText: 'As stored, without their secrets, the two configurations are equal.',
  firstConfig: 'The first configuration that is kept: all of its lines are new.',
  isCoarse:
    'These configurations differ too much to compare line by line: the whole part between the first and the last difference is shown as replaced.',
  came: 'Came with it',
  went: 'Went with it',
  noneCame: 'No new cause',
  noneWent: 'No cause',
  mayComeBack: 'It still runs: what is gone may come back.',
  moreCauses: (value: number) => `and ${value.toLocaleString('en')} more`,
};
