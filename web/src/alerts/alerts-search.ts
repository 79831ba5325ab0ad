import { choiceIn, textIn } from '../parts/read-search.ts';

export const alertSections = ['rules', 'channels', 'messages'] as const;
export const messageStates = ['any', 'waiting', 'delivered', 'failed'] as const;

/** What is shown, as it stands in the address. Absent: rules, and messages in every state to every channel. */
export interface AlertsSearch {
  readonly section?: (typeof alertSections)[number];
  readonly state?: (typeof messageStates)[number];
  /** The id of a channel. */
  readonly channel?: string;
}

export function readAlertsSearch(search: Readonly<Record<string, unknown>>): AlertsSearch {
  const { section } = choiceIn(search, 'section', alertSections);
  if (section !== 'messages') return section === undefined ? {} : { section };
  return { section, ...choiceIn(search, 'state', messageStates), ...textIn(search, 'channel', 36) };
}
