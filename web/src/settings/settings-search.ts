import { choiceIn } from '../parts/read-search.ts';

const ofProject = ['project', 'access_tokens', 'sessions', 'appearance'] as const;
const ofAccount = ['access_tokens', 'sessions', 'appearance'] as const;

export type SettingsSection = (typeof ofProject)[number];

/** The part of the settings that is shown, as it stands in the address. Absent: the first one. */
export interface SettingsSearch {
  readonly section?: SettingsSection;
}

export function readSettingsSearch(search: Readonly<Record<string, unknown>>): SettingsSearch {
  return choiceIn(search, 'section', ofProject);
}

/** Without a project, there are only those of the user. */
export function readAccountSearch(search: Readonly<Record<string, unknown>>): SettingsSearch {
  return choiceIn(search, 'section', ofAccount);
}

/** @param projectID undefined: the settings of the user alone */
export function settingsSections(projectID: string | undefined): readonly SettingsSection[] {
  return projectID === undefined ? ofAccount : ofProject;
}
