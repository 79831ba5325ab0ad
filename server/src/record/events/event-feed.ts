import type { Clock, MonotonicClock } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { StreamEndReason as EndReason } from '../../foundation/stream-end-reason.ts';
import { deliverEvents } from './deliver-events.ts';
import { heartbeatFrame, resetFrame } from './event-frame.ts';
import type { EventListener } from './event-listener.ts';
import { type EventRange, listEvents, noEvents, readEventRanges } from './event-store.ts';
import { ListenerChecks } from './listener-checks.ts';
import { TurnBudget } from './turn-budget.ts';

interface EventFeedOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
  readonly onEnd: (reason: EndReason) => void;
  /** @throws Refusal if the listener's project is gone */
  readonly requireProject: (listener: EventListener) => Promise<unknown>;
  /** How often the feed looks for events that other replicas have written. */
  readonly pollMilliseconds: number;
  /** Called before events are sent. Absent: nothing has to be told of it. */
  readonly beforeSending?: (() => Promise<void>) | undefined;
  /** Absent: 1 s. */
  readonly maxCheckMilliseconds?: number;
}

/** The number of events in one read, for listeners with the same position. */
const pageSize = 500;
/** The maximum number of pages for the listeners of a project in one look, so that listeners far behind do not delay the others. */
const maxPagesPerLook = 8;
const heartbeatMilliseconds = 15_000;
const maxBlockedMilliseconds = 5_000;
/** Credentials are also checked while there are no events. */
const checkMilliseconds = 1_000;

/**
 * Passes the events of this database on to the listeners of this process. Each look reads the number of the last event, then
 * checks the credentials of the listeners that are behind, and then sends them the events up to that number. So no listener gets
 * an event that was committed after its credential ended.
 */
export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #checks: ListenerChecks;
  readonly #budget = new TurnBudget();
  readonly #projects = new Map<string, Set<EventListener>>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #checkedAt = 0;
  #hasFailed = false;

  constructor(options: EventFeedOptions) {
    this.#options = options;
    this.#checks = new ListenerChecks({
      requireProject: options.requireProject,
      onRefused: (listener) => this.#end(listener, 'refused'),
      maxMilliseconds: options.maxCheckMilliseconds ?? checkMilliseconds,
      budget: this.#budget,
    });
    options.closing.addEventListener('abort', () => this.#endAll());
  }

  /** The listener gets the events after its position. */
  add(listener: EventListener): void {
    const { projectID } = listener;
    const listeners = this.#projects.get(projectID) ?? new Set();
    this.#projects.set(projectID, listeners.add(listener));
    if (this.#options.closing.aborted) this.#end(listener, 'stopping');
    else this.wake();
  }

  /** Returns false if it was removed before. */
  remove(listener: EventListener): boolean {
    const listeners = this.#projects.get(listener.projectID);
    const isRemoved = listeners?.delete(listener) ?? false;
    if (listeners?.size === 0) this.#projects.delete(listener.projectID);
    return isRemoved;
  }

  /** Called when events were written. Looks for them at once. */
  wake(): void {
    if (this.#projects.size === 0 || this.#options.closing.aborted) return;
    if (this.#running !== undefined) {
      this.#isWoken = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#running = this.#look().finally(() => {
      this.#running = undefined;
      if (this.#isWoken) {
        this.#isWoken = false;
        this.wake();
      } else if (this.#projects.size > 0 && !this.#options.closing.aborted) {
        this.#timer = setTimeout(() => this.wake(), this.#options.pollMilliseconds).unref();
      }
    });
  }

  /** Called when the client reads again. */
  resume(listener: EventListener): void {
    listener.unblock();
    this.wake();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #look(): Promise<void> {
    const { database, onFailure } = this.#options;
    // Before the read: the position of a listener that is added later may be after the last event that was read, which would look like a reset.
    const listeners = this.#all();
    const projectIDs = [...this.#projects.keys()];
    await this.#attend(listeners);
    try {
      const ranges = await readEventRanges(database.read, projectIDs);
      const due = this.#dueOf(listeners, ranges);
      const passed = await this.#checks.pass(due);
      const { beforeSending } = this.#options;
      if (beforeSending !== undefined && this.#hasNews(due, ranges)) await beforeSending();
      for (const projectID of projectIDs) {
        const ofProject = due.filter((one) => one.projectID === projectID && passed.has(one));
        await this.#passOn(projectID, ofProject, ranges.get(projectID) ?? noEvents);
      }
      this.#hasFailed = false;
    } catch (error) {
      // Reported once, not four times a second until the database is back.
      if (!this.#hasFailed && !this.#options.closing.aborted) onFailure(error);
      this.#hasFailed = true;
    }
  }

  #all(): EventListener[] {
    return [...this.#projects.values()].flatMap((listeners) => [...listeners]);
  }

  /** Ends the streams of listeners that do not read, and sends a heartbeat on silent ones. */
  async #attend(listeners: readonly EventListener[]): Promise<void> {
    for (const listener of listeners) {
      if (listener.blockedMilliseconds >= maxBlockedMilliseconds) this.#end(listener, 'slow');
      else if (!listener.isBlocked && listener.silentMilliseconds >= heartbeatMilliseconds) {
        listener.write(heartbeatFrame(listener.position));
        const nextTurn = this.#budget.spend();
        if (nextTurn !== undefined) await nextTurn;
      }
    }
  }

  /** The listeners with new events. Once a second all listeners, because credentials also end while there are no events. */
  #dueOf(
    listeners: readonly EventListener[],
    ranges: ReadonlyMap<string, EventRange>,
  ): readonly EventListener[] {
    const now = this.#options.monotonic();
    if (now - this.#checkedAt >= checkMilliseconds) {
      this.#checkedAt = now;
      return listeners;
    }
    return listeners.filter(({ projectID, position, isBlocked }) => {
      const { last } = ranges.get(projectID) ?? noEvents;
      return !isBlocked && position !== last;
    });
  }

  #hasNews(listeners: readonly EventListener[], ranges: ReadonlyMap<string, EventRange>): boolean {
    return listeners.some(({ projectID, position }) => position !== (ranges.get(projectID) ?? noEvents).last);
  }

  /** Listeners that are least behind come first. */
  async #passOn(projectID: string, listeners: readonly EventListener[], range: EventRange): Promise<void> {
    for (const listener of listeners) {
      const nextTurn = this.#resetLost(listener, range) ? this.#budget.spend() : undefined;
      if (nextTurn !== undefined) await nextTurn;
    }
    const isBehind = (one: EventListener): boolean => one.isReady && one.position < range.last;
    const groups = groupByPosition(listeners.filter(isBehind));
    let hasProgress = false;
    for (const [after, group] of groups.slice(0, maxPagesPerLook)) {
      const page = { after, through: range.last, limit: pageSize };
      const events = await listEvents(this.#options.database.read, projectID, page);
      await deliverEvents(group, events, this.#budget);
      hasProgress ||= group.some(({ position }) => position > after);
    }
    // Without progress, events were removed after the range was read. The next look handles that.
    if (hasProgress && listeners.some(isBehind)) this.#isWoken = true;
  }

  /**
   * Sends a reset to a listener whose next events were removed, or whose position is from another database.
   *
   * @returns true if it was sent
   */
  #resetLost(listener: EventListener, { last, removedThrough }: EventRange): boolean {
    const isLost = listener.position < removedThrough || listener.position > last;
    if (!isLost || !listener.isReady) return false;
    listener.write(resetFrame(last, this.#options.clock()));
    listener.position = last;
    return true;
  }

  #end(listener: EventListener, reason: EndReason): void {
    if (!this.remove(listener)) return;
    this.#options.onEnd(reason);
    // `end` would wait for a client that does not read.
    if (reason === 'slow' || listener.isBlocked) listener.cut();
    else listener.end();
  }

  #endAll(): void {
    clearTimeout(this.#timer);
    for (const listener of this.#all()) this.#end(listener, 'stopping');
  }
}

/** The highest position first. */
function groupByPosition(
  listeners: readonly EventListener[],
): (readonly [position: number, group: readonly EventListener[]])[] {
  const groups = new Map<number, EventListener[]>();
  for (const listener of listeners) {
    const group = groups.get(listener.position);
    if (group === undefined) groups.set(listener.position, [listener]);
    else group.push(listener);
  }
  return [...groups].sort(([one], [other]) => other - one);
}
