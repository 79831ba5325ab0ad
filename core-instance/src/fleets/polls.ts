import type { CoreInstancePoll, SitePublication } from '@muster/contract';
import type { SentBy } from '../spool/spooled-item.ts';

interface AnsweredPoll {
  readonly at: number;
  readonly by: SentBy;
  /** How much later the dates that the agent gets are than these. */
  readonly shift: number;
  readonly offered: SitePublication;
  /** The date of what the agent says it has. Undefined: nothing, or nothing that is known here. */
  readonly downloaded: number | undefined;
  /** True: it says that it has something, known here or not. */
  readonly hasAny: boolean;
}

/** What is known of an agent that asks with an id of its own. */
interface Seat extends AnsweredPoll {
  /** When it last asked without having what it was offered. Undefined: it has had it since before this process. */
  readonly offeredAt: number | undefined;
  readonly isRegistered: boolean;
  /** True: it has registered or updated itself here since it was offered the version. */
  readonly isConfirmed: boolean;
  /** Until then, the centre is not told again of what it knows. */
  readonly toldUntil: number;
}

/** A poll that shows nothing new is a sign of life, and told this often. */
const tellMilliseconds = 30_000;
/** Of agents that were not heard for longest, the newest are kept. */
const maxSeats = 100_000;

/**
 * What the polls of agents have shown: of each agent the last one, in memory alone. After a restart the next poll, which comes within seconds, says again
 * what the agent has.
 */
export class Polls {
  readonly #seats = new Map<string, Seat>();
  readonly #due = new Set<string>();

  /** Called for each poll of an agent that asks with an id of its own. */
  note(handle: string, poll: AnsweredPoll): void {
    const before = this.#seats.get(handle);
    const hasIt = poll.downloaded === poll.offered.seconds;
    const isSameOffer = before?.offered.seconds === poll.offered.seconds && before.shift === poll.shift;
    const isSame = isSameOffer && before.downloaded === poll.downloaded;
    const seat: Seat = {
      ...poll,
      offeredAt: hasIt ? (isSameOffer ? before.offeredAt : undefined) : poll.at,
      // What it has at its first poll, it has got here before a restart, or elsewhere. What it gets here first, it gets before it registers.
      isRegistered: before?.isRegistered ?? poll.hasAny,
      isConfirmed: hasIt && isSameOffer && before.isConfirmed,
      toldUntil: isSame ? before.toldUntil : Number.NEGATIVE_INFINITY,
    };
    this.#set(handle, seat);
    if (seat.toldUntil <= poll.at) this.#due.add(handle);
  }

  /** The agent has registered or updated itself with this id. @param isProven false: the centre has to judge whether it was the agent */
  confirm(handle: string, isProven: boolean): void {
    const seat = this.#seats.get(handle);
    if (seat === undefined) return;
    this.#seats.set(handle, { ...seat, isRegistered: true, isConfirmed: seat.isConfirmed || isProven });
  }

  /** True if it has got its first configuration and will register within seconds. */
  isUnregistered(handle: string): boolean {
    return this.#seats.get(handle)?.isRegistered === false;
  }

  /** What the agent was offered last. */
  offeredTo(handle: string): SitePublication | undefined {
    return this.#seats.get(handle)?.offered;
  }

  /** Takes at most so many out that the centre does not know. */
  take(count: number, now: number): CoreInstancePoll[] {
    const taken: CoreInstancePoll[] = [];
    for (const handle of this.#due) {
      if (taken.length >= count) break;
      this.#due.delete(handle);
      const seat = this.#seats.get(handle);
      if (seat === undefined) continue;
      this.#seats.set(handle, { ...seat, toldUntil: now + tellMilliseconds });
      taken.push(toItem(handle, seat));
    }
    return taken;
  }

  /** Puts back what could not be sent. What the agent has shown since counts. */
  putBack(polls: readonly CoreInstancePoll[]): void {
    for (const { handle } of polls) if (this.#seats.has(handle)) this.#due.add(handle);
  }

  #set(handle: string, seat: Seat): void {
    this.#seats.delete(handle);
    this.#seats.set(handle, seat);
    if (this.#seats.size <= maxSeats) return;
    const [oldest] = this.#seats.keys();
    if (oldest === undefined) return;
    this.#seats.delete(oldest);
    this.#due.delete(oldest);
  }
}

function toItem(
  handle: string,
  { at, by, shift, offered, offeredAt, downloaded, isConfirmed }: Seat,
): CoreInstancePoll {
  return {
    kind: 'poll',
    at,
    by,
    handle,
    ...(shift === 0 ? {} : { shift }),
    offered: offered.seconds,
    ...(offeredAt === undefined ? {} : { offeredAt }),
    downloaded: downloaded ?? null,
    isConfirmed,
  };
}
