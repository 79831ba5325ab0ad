import type { AgentErrorGroup, UpdateAgentErrorGroups } from '@muster/client';

/** What somebody has typed and chosen. Absent: it was not touched. An assignee of `nobody` or an empty text: none. */
export interface NoteInput {
  readonly assigneeID?: string;
  readonly note?: string;
  readonly link?: string;
}

/**
 * What is to be changed.
 *
 * @param before what the one cause has. Undefined: there are many, of which an empty field says nothing
 */
export function noteChange(
  { assigneeID, note, link }: NoteInput,
  before: Pick<AgentErrorGroup, 'assignee' | 'note' | 'link'> | undefined,
): Omit<UpdateAgentErrorGroups, 'groupIDs'> {
  const chosen = assigneeID === 'nobody' ? null : assigneeID || (before === undefined ? undefined : null);
  const changedText = (typed: string | undefined, stored: string | null | undefined) => {
    if (typed === undefined) return undefined;
    const text = typed.trim() || null;
    return text === (stored ?? null) ? undefined : text;
  };
  const newNote = changedText(note, before?.note);
  const newLink = changedText(link, before?.link);
  return {
    ...(assigneeID === undefined ||
    chosen === undefined ||
    chosen === (before?.assignee?.id ?? (before && null))
      ? {}
      : { assigneeID: chosen }),
    ...(newNote === undefined ? {} : { note: newNote }),
    ...(newLink === undefined ? {} : { link: newLink }),
  };
}
