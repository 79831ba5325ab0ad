import { formatNumber } from '../parts/amount.ts';

export const dismissalsTexts = {
  title: 'Dismissals',
  description: 'What was dismissed together, by whom and why. An undo opens the errors again.',
  toCauses: 'Causes',
  reason: 'Reason',
  what: 'What',
  errors: 'Errors',
  agents: 'Agents',
  by: 'By',
  when: 'When',
  state: 'State',
  states: { running: 'Running', done: 'Done', undoing: 'Being undone', undone: 'Undone' },
  undo: 'Undo',
  undoTitle: 'Undo this dismissal?',
  undoText: (count: number) =>
    `It opens ${count === 1 ? 'one error' : `${formatNumber(count)} errors`} again. Errors that agents have reported again since stay as they are.`,
  none: 'Nothing was dismissed yet',
  noneText: 'Select causes and dismiss them with a reason, here or on the command line:',
  noneCommand: 'muster error dismiss --match "connection refused" --reason "fixed"',
  service: 'The service',
  everything: 'All open errors',
  oneCause: 'One cause',
  causes: (count: number) => `${formatNumber(count)} causes`,
  containing: (text: string) => `Errors with “${text}”`,
  ofFleet: (fleet: string) => `Errors of fleet ${fleet}`,
  someErrors: 'Some errors',
};
