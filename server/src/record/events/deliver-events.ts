import { frameOf } from './event-frame.ts';
import type { EventListener } from './event-listener.ts';
import type { StoredEvent } from './event-store.ts';
import { selects } from './listened-types.ts';
import type { TurnBudget } from './turn-budget.ts';

/**
 * The size of one write, unless a single event is larger. As much as Node takes before it says that the client is behind, so that a client that does
 * not read costs little memory.
 */
const maxCharactersPerWrite = 16_384;

/**
 * Sends events to the listeners that are ready for them. A listener gets consecutive events in one write, and listeners that get the same types share
 * the text. A listener that is blocked meanwhile keeps its position.
 */
export async function deliverEvents(
  listeners: readonly EventListener[],
  events: readonly StoredEvent[],
  budget: TurnBudget,
): Promise<void> {
  for (const portion of portionsOf(events)) {
    const texts = new Map<string, string>();
    for (const listener of listeners) {
      // It may have ended, or been blocked, since the turn before.
      if (!listener.isReady || listener.position !== portion.after) continue;
      const { selection } = listener;
      const text = texts.get(selection) ?? joinFrames(portion.events, selection);
      texts.set(selection, text);
      listener.position = portion.through;
      if (text !== '') listener.write(text);
      const nextTurn = budget.spend(text.length);
      if (nextTurn !== undefined) await nextTurn;
    }
  }
}

/** Consecutive events for one write. */
interface Portion {
  readonly after: number;
  through: number;
  readonly events: StoredEvent[];
}

function portionsOf(events: readonly StoredEvent[]): readonly Portion[] {
  const portions: Portion[] = [];
  let characters = 0;
  for (const event of events) {
    const last = portions.at(-1);
    characters += event.data.length;
    if (last !== undefined && last.through === event.sequence - 1 && characters <= maxCharactersPerWrite) {
      last.events.push(event);
      last.through = event.sequence;
    } else {
      portions.push({ after: event.sequence - 1, through: event.sequence, events: [event] });
      characters = event.data.length;
    }
  }
  return portions;
}

function joinFrames(events: readonly StoredEvent[], selection: string): string {
  return events.flatMap((event) => (selects(selection, event.type) ? frameOf(event) : [])).join('');
}
