import { formatNumber } from '../parts/amount.ts';

const count = (value: number, one: string, many: string) =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;

const list = (parts: readonly (string | false)[]) =>
  new Intl.ListFormat('en-GB').format(parts.filter((part) => part !== false));

export const sitesTexts = {
  title: 'Sites',
  site: 'Site',
  allSites: 'All sites',
  noSuchSite: 'No such site',
  noSuchSiteText: 'The address has another text where the id of a site belongs. Choose a site, or all.',
  what: 'A site keeps what its agents send until Muster has it.',
  totals: (all: number, unreachable: number, lagging: number, waiting: number) =>
    unreachable + lagging + waiting === 0
      ? all === 1
        ? 'It delivers.'
        : 'All of them deliver.'
      : `Of ${count(all, 'site', 'sites')}, ${list([
          unreachable > 0 && `${formatNumber(unreachable)} ${unreachable === 1 ? 'is' : 'are'} unreachable`,
          lagging > 0 && `${formatNumber(lagging)} ${lagging === 1 ? 'lags' : 'lag'}`,
          waiting > 0 &&
            `${formatNumber(waiting)} ${waiting === 1 ? 'waits for its' : 'wait for their'} first start`,
        ])}.`,
  states: { unreachable: 'Unreachable', lagging: 'Lagging', running: 'Running', waiting: 'Waiting' },
  status: 'Status',
  agents: 'Agents',
  lag: 'Lag',
  kept: 'Kept there',
  lost: 'Lost',
  lastHeard: 'Last heard',
  lastHeardAt: (time: string) => `last heard ${time}`,
  lastHour: 'Last hour',
  agentsOf: (agents: number) => count(agents, 'agent', 'agents'),
  lostOf: (reports: number) => `${count(reports, 'report', 'reports')} lost`,
  direct: (agents: number) =>
    `${count(agents, 'agent', 'agents')} ${agents === 1 ? 'reports' : 'report'} directly.`,
  delivers: (perMinute: number) =>
    perMinute >= 120
      ? `delivers ${formatNumber(Math.round(perMinute / 60))} each second`
      : `delivers ${formatNumber(perMinute)} each minute`,
  doneAt: ', done at about',
  never: 'never',
  none: 'No sites yet',
  noneText:
    'Where agents are behind a thin line, let a core instance take what they send: it always answers, and keeps everything on its disk until Muster has it. Create one:',
  createCommand: 'muster core-instance create plant-7',
  add: 'Add a site',
  addText: 'This creates the site, and prints how to start it with systemd, Docker or Kubernetes:',
  notStarted: 'not started yet',
  version: (version: string) => `Muster ${version}`,
  since: 'since',
  unknownAgents: ', agents unknown',
  waitsFor: 'hardly anything arrives from it',
  created: 'created',
  notKnown: 'not known',
  nothing: '–',

  headings: {
    unreachable: 'is unreachable since',
    lagging: (lag: string) => `is ${lag} behind`,
    running: 'delivers',
    waiting: 'waits for its first start',
  },
  unknownNotOffline: (agents: number) =>
    agents === 1
      ? 'Its 1 agent is unknown, not offline.'
      : `Its ${formatNumber(agents)} agents are unknown, not offline.`,
  nothingHeard: (duration: string) => `Nothing was heard for ${duration}.`,
  allArrives: 'What its agents send arrives here within seconds.',
  arrivesLate: (items: number) => `${count(items, 'item waits', 'items wait')} on its disk.`,
  noContact: 'Nothing was heard of it yet.',
  revoked: 'Its token was found in public, and is revoked',
  revokedText: 'The site keeps what its agents send until it joins again with a project token.',
  lostTitle: (reports: number) => `${count(reports, 'report was', 'reports were')} lost there`,
  lostLast: 'The last one was dropped at',
  lostWhy: 'because its spool was full, damaged, or older than it may get. They are not in any list here.',
  refusedTitle: (items: number) =>
    `Muster refused ${count(items, 'item', 'items')} that agents sent to this site`,
  refusedLast: 'The last one',

  whatToDo: 'What to do',
  askHost: 'On the host of the site, ask whether it runs:',
  askHostCommand: 'systemctl status muster-core-instance',
  askService: 'From the same host, ask for Muster:',
  oneConnection: 'It needs this one connection, and nothing that comes in.',
  askLog: 'On the host of the site, read why it is slow:',
  askLogCommand: 'journalctl -u muster-core-instance --since -1h',
  startIt: 'On its host, as root, after the Debian package is installed:',
  unwritableName: 'Its name holds characters that a shell cannot take. Rename it first.',
  joinToken: 'It asks for a project token that has create:core_instance, and needs it once.',
  meanwhile: 'What it does meanwhile',
  meanwhileUnreachable:
    'If it still runs, it answers its agents and keeps what they send: up to 7 days or 1 GiB. Everything arrives with its own time once it is back.',
  meanwhileLagging:
    'It answers its agents as always, and keeps what they send: up to 7 days or 1 GiB. Everything arrives with its own time.',

  received: 'Received per minute',
  receivedUnit: 'reports and signs of life',

  agentsBehind: 'Agents behind it',
  itsCauses: 'Its causes',
  asTheyWere: 'as they were at',
  noAgents: 'No agent has reported through it yet.',
  agent: 'Agent',
  statusThen: 'Then',
  statusNow: 'Now',
  heard: 'Heard',
  openErrors: 'Open errors',

  about: 'About it',
  versionName: 'Version',
  started: 'Started',
  keptThen: (kept: string) => `not known, was ${kept} at`,
  items: (items: number, size: string) =>
    items === 0 ? 'nothing' : `${count(items, 'item', 'items')}, ${size}`,
  reports: (reports: number) => count(reports, 'report', 'reports'),
  lastly: 'the last one',
  nothingEver: 'nothing, ever',
  clock: 'Clock',
  clockRight: 'right',
  clockAhead: (duration: string) => `${duration} ahead`,
  clockBehind: (duration: string) => `${duration} behind`,
  tags: 'Tags',
  token: 'Token',
  rotated: 'rotated',
  createdName: 'Created',
  by: 'by',
  somebody: 'somebody who is gone',
  id: 'ID',

  rename: 'Rename…',
  renameTitle: (name: string) => `Rename ${name}`,
  renameConfirm: 'Rename',
  name: 'Name',
  renamed: 'Renamed',
  rotate: 'Rotate…',
  rotateTitle: (name: string) => `Rotate the token of ${name}?`,
  rotateText:
    'The site gets itself a new token when it is next heard, and its earlier one ends then. If somebody else may know that one, end it now: then the site joins again with a project token, and keeps what its agents send until it does.',
  rotateConfirm: 'Rotate',
  rotateDone: 'Rotated',
  grace: 'The earlier token ends',
  graces: {
    day: 'Once replaced, or in a day',
    week: 'Once replaced, or in a week',
    none: 'Now',
  },
  delete: 'Delete…',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteConfirm: 'Delete',
  deleteText:
    'Its token ends at once, and what still waits at the site is not accepted any more. The agents behind it stay, and can report to another site or to Muster itself. This cannot be undone.',
  deleteWaits: (items: number) =>
    `When it was last heard, ${count(items, 'item', 'items')} waited there. They would be lost.`,
  deleted: (name: string) => `${name} deleted`,
  isDeleted: 'This site has been deleted',
  isDeletedText: 'Its agents stay. Each is known again as soon as it reports elsewhere.',
  toList: 'Show all sites',
};
