import { choiceIn } from '../parts/read-search.ts';

const membersSections = ['members', 'invitations'] as const;

/** What is shown, as it stands in the address. Absent: members. */
interface MembersSearch {
  readonly section?: (typeof membersSections)[number];
}

export function readMembersSearch(search: Readonly<Record<string, unknown>>): MembersSearch {
  return choiceIn(search, 'section', membersSections);
}
