import { formatNumber } from '../parts/amount.ts';

const count = (value: number, one: string, many: string) =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;

const agents = (value: number) => count(value, 'agent', 'agents');
const runs = (value: number) => (value === 1 ? 'runs' : 'run');

export const fleetsTexts = {
  title: 'Fleets',
  fleet: 'Fleet',
  what: 'A fleet serves one configuration to its agents.',
  totals: (drifted: number, rejected: number, behind: number) =>
    [
      drifted > 0 && `${agents(drifted)} ${runs(drifted)} something else.`,
      rejected > 0 && `${agents(rejected)} refused ${rejected === 1 ? 'its' : 'their'} version.`,
      behind > 0 && `${agents(behind)} ${behind === 1 ? 'does' : 'do'} not run the served version yet.`,
    ]
      .filter(Boolean)
      .join(' '),
  agents: 'Agents',
  agentsOf: (value: number) => agents(value),
  whoRunsWhat: 'Who runs what',
  now: 'Now',
  unhealthy: 'Unhealthy',
  version: (number: number) => `version ${number}`,
  noVersion: 'no version yet',
  runLegend: {
    drifted: (value: number) => `${formatNumber(value)} drifted`,
    served: (value: number, number: number) => `${formatNumber(value)} on ${number}`,
    other: (value: number, number: number) => `${formatNumber(value)} on ${number}`,
    unknown: (value: number) => `${formatNumber(value)} unknown`,
  },
  nobody: 'no agent',
  states: {
    drifted: (value: number) => `${agents(value)} ${runs(value)} something else`,
    rejected: (value: number, number: number | undefined) =>
      `${agents(value)} refused ${number === undefined ? 'it' : `version ${number}`}`,
    changing: (served: number, all: number, number: number | undefined) =>
      `${formatNumber(served)} of ${agents(all)} run version ${number ?? ''}`.trim(),
    unknown: (value: number) =>
      value === 1 ? 'Not known what 1 agent runs' : `Not known what ${agents(value)} run`,
    same: (value: number, number: number | undefined) =>
      value === 1
        ? `Its agent runs version ${number ?? ''}`.trim()
        : `All run version ${number ?? ''}`.trim(),
    empty: 'No agent has asked for it',
    unserved: 'Serves nothing yet',
  },
  served: 'served',
  bad: 'bad',
  servedStart: 'Served since',
  since: 'since',
  reported: 'Fleets that agents report, and that Muster does not configure:',
  none: 'Create a fleet',
  noneText:
    'Agents of a fleet get their configuration from Muster: you change it in one place, and see who runs what. Create one, and give an agent these lines:',
  noneForReaders:
    'Agents of a fleet get their configuration from Muster. There is none yet. Ask somebody who may create one.',

  create: 'Create a fleet',
  createConfirm: 'Create the fleet',
  created: (name: string) => `${name} created`,
  name: 'Name',
  nameText:
    'Agents ask for it by this name. Letters, digits and . _ ~ - in any order, at most 32 characters.',
  format: 'Format of its configuration',
  formats: { classic: 'Classic: sections in brackets', yaml: 'YAML', json: 'JSON' },
  tags: 'Tags',
  tagsText: 'With commas between them.',
  minimumVersion: 'Oldest Fluent Bit',
  minimumVersionText: 'Such as 3.2.0. Empty: any.',
  reporting: 'Agents report their own errors',
  reportingText:
    'Muster appends a few lines to each configuration that it serves, with which agents report their errors. Without them, Muster does not see what goes wrong with a version.',

  headings: {
    serves: (number: number) => `serves version ${number}`,
    toAgents: (value: number) => (value === 0 ? 'to no agent yet' : `to ${agents(value)}`),
    unserved: 'serves nothing yet',
  },
  joinWith: 'Agents join with',
  showLines: 'Show the lines for an agent',
  linesText:
    'These lines stand in the configuration with which the agent starts. The folder must survive restarts of the agent, or it is a new one each time.',
  showAgents: 'Show its agents',
  driftTitle: (value: number) =>
    `${agents(value)} ${runs(value)} a configuration that this fleet did not serve.`,
  driftText:
    'Their configuration has other plugins or properties than that of the first agent with the same version. Somebody has changed it on the host, or a second file is loaded there.',
  rejectedTitle: (value: number, number: number | undefined) =>
    `${agents(value)} refused version ${number ?? ''}.`.replace(' .', '.'),
  rejectedText:
    'They have downloaded it, and still run what they ran before. Their log says why: look for “Reloading is halted”.',
  unservedTitle: 'This fleet serves nothing yet.',
  unservedText: 'Agents that ask for it wait. Write its first configuration, and serve it.',
  rolledOut: (number: number, count: number, all: number) =>
    `Version ${number} is being rolled out: ${formatNumber(count)} of ${formatNumber(all)}`,
  notServedTitle: (number: number) => `Version ${number} is saved, and no agent gets it.`,
  configuration: 'Configuration',
  runKinds: { drifted: 'Drift', served: 'Version', other: 'Version', unknown: 'Unknown' },
  driftFrom: (number: number) => `got version ${number}`,
  unknownRun: 'nothing was heard about what they run',
  nobodyRuns: 'No agent has asked for this fleet yet.',
  nobodyRunsText: 'Give an agent these lines. It appears here within a minute after it has started:',

  versions: 'Versions',
  noNote: 'Without a note',
  somebody: 'somebody who is gone',
  warnings: (value: number) => count(value, 'warning', 'warnings'),
  difference: 'Difference',
  compareWith: 'Compare with',
  versionBefore: 'the version before',
  firstVersion: 'The first version: all of its lines are new.',
  sameText: 'The two configurations are equal.',
  files: {
    added: (names: string) => `Files added: ${names}`,
    changed: (names: string) => `Files changed: ${names}`,
    removed: (names: string) => `Files removed: ${names}`,
  },
  edit: 'Edit configuration',
  write: 'Write a configuration',
  editAs: (number: number) => `Edit as version ${number}`,
  serve: (value: number) => (value === 0 ? 'Serve it…' : `Serve to ${agents(value)}…`),
  serveTitle: (number: number, name: string) => `Serve version ${number} to ${name}?`,
  serveText: (value: number) =>
    value === 0
      ? 'No agent is in this fleet yet. Those that join get this version.'
      : `All ${agents(value)} get it at once, as soon as they ask: within about 15 seconds.`.replace(
          'All 1 agent get',
          'Its 1 agent gets',
        ),
  serveBack: 'This goes back to an earlier version. Agents get it as a new one.',
  serveConfirm: (value: number) => (value === 0 ? 'Serve it' : `Serve to ${agents(value)}`),
  whatChanges: 'What changes',
  nowServed: (number: number) => `Version ${number} is served`,
  nextVersion: 'Next version',
  previousVersion: 'Previous version',

  settings: 'Settings…',
  settingsTitle: (name: string) => `Settings of ${name}`,
  settingsConfirm: 'Save',
  settingsSaved: 'Saved',
  renameText:
    'Agents look for the new name when they start without a folder. Change it in their own configuration too.',
  reportingChanged: (value: number) => `This serves the configuration again: to ${agents(value)} at once.`,
  delete: 'Delete…',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText:
    'Its agents stay, and go on with the configuration that they have. Those that start without a folder find no fleet any more. Its versions cannot be read afterwards. This cannot be undone.',
  deleteConfirm: 'Delete',
  deleted: (name: string) => `${name} deleted`,

  editorTitle: (name: string) => `New version of ${name}`,
  newVersion: 'New version',
  from: 'From',
  nobodyGets: 'No agent gets it before you serve it.',
  mainFile: (format: 'classic' | 'yaml' | 'json') =>
    ({ classic: 'fluent-bit.conf', yaml: 'fluent-bit.yaml', json: 'fluent-bit.json' })[format],
  filesLabel: 'Files of the version',
  addFile: 'Add a file',
  addFileTitle: 'Add a file',
  fileName: 'Name of the file',
  fileNameText:
    'Agents write it beside the configuration, which refers to it by this name: parsers_file parsers.conf',
  fileNameTaken: 'There is a file of this name already.',
  removeFile: 'Remove this file',
  binaryFile: (size: string) => `This file is not a text (${size}). It stays as it is.`,
  textOf: (name: string) => `Text of ${name}`,
  kept: 'The draft is kept in this tab until you save or discard it.',
  restored: 'This is your draft from before. Discard it to begin again.',
  filesNow: 'It has the files that the fleet has now, not those of that version.',
  superseded: (number: number) =>
    `Version ${number} was made since this draft was begun. What you save does not have its changes.`,
  discard: 'Discard',
  discardTitle: 'Discard the draft?',
  discardText: 'What you have written in this tab is lost.',
  save: (number: number) => `Save as version ${number}`,
  savedAs: (number: number) => `Saved as version ${number}`,
  check: 'Check',
  checking: 'Checking…',
  checkFailed: 'The check did not work:',
  nothingToCheck: 'Nothing is written yet.',
  clean: 'Nothing is wrong with it.',
  problems: (errors: number, warnings: number) =>
    [
      errors > 0 && count(errors, 'problem', 'problems'),
      warnings > 0 && count(warnings, 'warning', 'warnings'),
    ]
      .filter(Boolean)
      .join(', '),
  line: (line: number) => `Line ${line}`,
  lineOf: (file: string, line: number) => `${file}, line ${line}`,
  use: (word: string) => `Use ${word}`,
  skip: 'Accept what is not known here',
  skipText:
    'For plugins of your own and for newer versions of Fluent Bit. What could harm an agent is refused all the same.',
  changedAgainst: (added: number, removed: number, number: number) =>
    added + removed === 0
      ? `The same lines as version ${number}, with other files or in another order.`
      : `${count(added, 'line', 'lines')} added, ${formatNumber(removed)} removed against version ${number}.`,
  firstOne: 'The first version of this fleet.',
  whoWouldGetIt: 'Who would get it',
  inFleet: (value: number) => `${formatNumber(value)} in this fleet`,
  reportingOn: 'Muster adds its lines, so that errors go on arriving.',
  reportingOff: 'Off: errors of agents do not arrive.',
  reportingName: 'Reporting',
  note: 'Note',
  notePlaceholder: 'What changes and why',
  unchanged: (number: number) => `Nothing yet against version ${number}.`,
  isDeleted: 'This fleet has been deleted',
  isDeletedText: 'Its agents stay, with the configuration that they have.',
  toList: 'Show all fleets',
  of: 'of',
  runOther: (count: number) =>
    `${count === 1 ? 'runs' : 'run'} a configuration that this fleet did not serve`,
  driftedFiles: 'Somebody has changed their files, or given them further ones.',
};
