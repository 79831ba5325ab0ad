import { choiceIn } from '../parts/read-search.ts';

const settingsSections = ['project', 'access_tokens', 'sessions', 'appearance', 'backups'] as const;

export type SettingsSection = (typeof settingsSections)[number];

/** The part of the settings that is shown, as it stands in the address. Absent, and of what the user does not have: the first one. */
export interface SettingsSearch {
  readonly section?: SettingsSection;
}

export function readSettingsSearch(search: Readonly<Record<string, unknown>>): SettingsSearch {
  return choiceIn(search, 'section', settingsSections);
}
