import type { AlertEntry, AlertMessage } from '../messages/alert-message.ts';
import type { WaitingNote } from './note-store.ts';

/** A message has at most this many entries; it counts the others. */
const maxEntries = 10;

/** What the waiting notes of a channel come to. */
export interface NotePlan {
  /** The last note of each alert that is told of. */
  readonly told: readonly WaitingNote[];
  /** Those whose content the message shows. */
  readonly shown: readonly WaitingNote[];
  /** The alerts that are over. */
  readonly overAlertIDs: readonly string[];
  /** The id of the last note that was looked at. */
  readonly through: string;
}

/**
 * Chooses what a message says: of each alert only its last state, open ones before those that are over, and the ones with the most agents first.
 * An on-call service receives open alerts only; resolving one resolves its incident.
 */
export function planNotes(
  notes: readonly WaitingNote[],
  { isOnCall }: { readonly isOnCall: boolean },
): NotePlan {
  const last = new Map(notes.map((note) => [note.alert_id, note]));
  const states = [...last.values()];
  const told = isOnCall ? states.filter(isOpen) : states;
  const order = (one: WaitingNote, other: WaitingNote): number =>
    Number(isOpen(other)) - Number(isOpen(one)) || other.weight - one.weight || (one.id < other.id ? -1 : 1);
  return {
    told,
    shown: [...told].sort(order).slice(0, maxEntries),
    overAlertIDs: states.filter((note) => !isOpen(note)).map(({ alert_id: id }) => id),
    through: notes.at(-1)?.id ?? '',
  };
}

function isOpen({ kind }: WaitingNote): boolean {
  return kind !== 'over';
}

/** The message of a plan that tells of something. */
export function messageOf(
  { told }: Pick<NotePlan, 'told'>,
  entries: readonly AlertEntry[],
  project: AlertMessage['project'],
): AlertMessage {
  const [first] = entries;
  if (first !== undefined && told.length === 1) {
    const isOver = first.state === 'over';
    const title = isOver ? `Over: ${first.title}` : first.title;
    return { kind: isOver ? 'over' : 'alert', project, title, entries, more: 0 };
  }
  const open = told.filter(isOpen).length;
  const over = told.length - open;
  const parts = [
    ...(open === 0 ? [] : [open === 1 ? '1 alert' : `${open} alerts`]),
    ...(over === 0 ? [] : [`${over} over`]),
  ];
  return { kind: 'digest', project, title: parts.join(', '), entries, more: told.length - entries.length };
}
