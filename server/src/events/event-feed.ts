import { type Grant, problems } from '@muster/contract';
import type { Clock, MonotonicClock } from '../clock.ts';
import { grantsIn, type Principal } from '../credentials/principal.ts';
import type { Database } from '../database/database.ts';
import { Refusal } from '../refusal.ts';
import type { StreamEndReason as EndReason } from '../stream-end-reason.ts';
import { frameOf, heartbeatFrame, resetFrame } from './event-frame.ts';
import type { EventListener } from './event-listener.ts';
import { type EventRange, listEvents, readEventRanges, type StoredEvent } from './event-store.ts';
import { mayRead, requireReadable } from './listened-types.ts';

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
  /** How often events are looked for that other replicas have written. */
  readonly pollMilliseconds: number;
}

/** Events that are read at a time, for one project or one listener. */
const pageSize = 500;
const heartbeatMilliseconds = 15_000;
const maxBlockedMilliseconds = 5_000;
/** Credentials are also checked while nothing happens. */
const checkMilliseconds = 1_000;
const noEvents: EventRange = { last: 0, removedThrough: 0 };

interface Project {
  readonly listeners: Set<EventListener>;
  /** Listeners that are not behind have everything up to this event. Undefined before the first look. */
  position: number | undefined;
}

/** Passes the events of this database on to the listeners of this process: one reader for all of them. */
export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #projects = new Map<string, Project>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #checkedAt = 0;
  #hasFailed = false;

  constructor(options: EventFeedOptions) {
    this.#options = options;
    options.closing.addEventListener('abort', () => this.#endAll());
  }

  /** The listener gets what comes after its position, and is behind at first. */
  add(listener: EventListener): void {
    if (this.#options.closing.aborted) {
      this.#end(listener, 'stopping');
      return;
    }
    const { projectID } = listener;
    const project = this.#projects.get(projectID) ?? { listeners: new Set(), position: undefined };
    this.#projects.set(projectID, project);
    project.listeners.add(listener);
    this.wake();
  }

  remove(listener: EventListener): void {
    const project = this.#projects.get(listener.projectID);
    if (project === undefined) return;
    project.listeners.delete(listener);
    if (project.listeners.size === 0) this.#projects.delete(listener.projectID);
  }

  /** Called when events were written; looks at once. */
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

  /** The client takes again what is written. */
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
    for (const listener of this.#all()) this.#attend(listener);
    try {
      const ranges = await readEventRanges(database.read, [...this.#projects.keys()]);
      await this.#checkDue(ranges);
      for (const [projectID, project] of this.#projects) {
        await this.#passOn(projectID, project, ranges.get(projectID) ?? noEvents);
      }
      this.#hasFailed = false;
    } catch (error) {
      // Once, and not four times a second until the database is back.
      if (!this.#hasFailed && !this.#options.closing.aborted) onFailure(error);
      this.#hasFailed = true;
    }
  }

  #all(): EventListener[] {
    return [...this.#projects.values()].flatMap(({ listeners }) => [...listeners]);
  }

  /** Cuts a listener that does not read; tells one that nothing has happened. */
  #attend(listener: EventListener): void {
    if (listener.blockedMilliseconds >= maxBlockedMilliseconds) this.#end(listener, 'slow');
    else if (!listener.isBlocked && listener.silentMilliseconds >= heartbeatMilliseconds) {
      listener.write(heartbeatFrame(listener.position));
    }
  }

  /** Checks the credentials of those that are about to get something, and of all once a second. */
  async #checkDue(ranges: ReadonlyMap<string, EventRange>): Promise<void> {
    const now = this.#options.monotonic();
    const isDue = now - this.#checkedAt >= checkMilliseconds;
    if (isDue) this.#checkedAt = now;
    const due = this.#all().filter(
      ({ projectID, position }) => isDue || (ranges.get(projectID)?.last ?? 0) !== position,
    );
    // Together, so that they share one look at the number that tells whether credentials have changed.
    await Promise.all(due.map((listener) => this.#check(listener)));
    const projects = new Map(due.filter(({ isOpen }) => isOpen).map((one) => [one.projectID, one]));
    for (const listener of projects.values()) await this.#checkProject(listener);
  }

  async #check(listener: EventListener): Promise<void> {
    try {
      listener.admission = await listener.admission.renew();
      requireReadable(heldBy(listener.admission.principal, listener.projectID), listener.types);
      listener.isChecked = true;
    } catch (error) {
      listener.isChecked = false;
      this.#endRefused(listener, error);
    }
  }

  async #checkProject(one: EventListener): Promise<void> {
    try {
      await this.#options.requireProject(one);
    } catch (error) {
      for (const listener of this.#projects.get(one.projectID)?.listeners ?? []) {
        listener.isChecked = false;
        this.#endRefused(listener, error);
      }
    }
  }

  /** One that cannot be checked for now, since the database or the identity provider is away, waits for the next look. */
  #endRefused(listener: EventListener, error: unknown): void {
    if (error instanceof Refusal && problems[error.code].status < 500) this.#end(listener, 'refused');
  }

  async #passOn(projectID: string, project: Project, range: EventRange): Promise<void> {
    // A database that was restored has fewer.
    const position = Math.min(project.position ?? range.last, range.last);
    project.position = position;
    if (range.last > position) {
      const events = await this.#read(projectID, position);
      const last = events.at(-1)?.sequence ?? position;
      const current = [...project.listeners].filter(
        (one) => one.position === position && !one.isCatchingUp && isReady(one),
      );
      this.#deliver(current, events);
      project.position = last;
      if (last < range.last) this.#isWoken = true;
    }
    for (const listener of project.listeners) {
      if (listener.position !== project.position && isReady(listener)) this.#catchUp(listener, range);
    }
  }

  /** Beside the others, who do not wait for it. */
  #catchUp(listener: EventListener, range: EventRange): void {
    if (listener.isCatchingUp) return;
    listener.isCatchingUp = true;
    this.#readOn(listener, range)
      .catch((error: unknown) => {
        if (!this.#options.closing.aborted) this.#options.onFailure(error);
        listener.end();
      })
      .finally(() => {
        listener.isCatchingUp = false;
      });
  }

  async #readOn(listener: EventListener, { last, removedThrough }: EventRange): Promise<void> {
    if (listener.position < removedThrough || listener.position > last) {
      listener.write(resetFrame(last, this.#options.clock()));
      listener.position = last;
    }
    if (listener.isBlocked || listener.position >= last) return;
    const events = await this.#read(listener.projectID, listener.position);
    this.#deliver([listener], events);
    // The next page after another look, which checks the credential again. Where events were removed meanwhile, it tells that.
    if (!listener.isBlocked && listener.position < last) this.wake();
  }

  #read(projectID: string, after: number): Promise<StoredEvent[]> {
    return listEvents(this.#options.database.read, projectID, { after, limit: pageSize });
  }

  #deliver(listeners: readonly EventListener[], events: readonly StoredEvent[]): void {
    for (const event of events) {
      let frame: string | undefined;
      for (const listener of listeners) {
        if (listener.isBlocked || listener.position !== event.sequence - 1) continue;
        listener.position = event.sequence;
        const { admission, types } = listener;
        if (!mayRead(grantsIn(admission.principal, listener.projectID) ?? [], types, event.type)) continue;
        frame ??= frameOf(event);
        listener.write(frame);
      }
    }
  }

  #end(listener: EventListener, reason: EndReason): void {
    this.remove(listener);
    this.#options.onEnd(reason);
    if (reason === 'slow') listener.cut();
    else listener.end();
  }

  #endAll(): void {
    clearTimeout(this.#timer);
    for (const listener of this.#all()) this.#end(listener, 'stopping');
  }
}

function isReady({ isOpen, isBlocked, isChecked }: EventListener): boolean {
  return isOpen && !isBlocked && isChecked;
}

/**
 * What the caller may do in the project now.
 *
 * @throws Refusal not_found, if it has no part in it any more
 */
function heldBy(principal: Principal, projectID: string): readonly Grant[] {
  const held = grantsIn(principal, projectID);
  if (held === undefined) throw new Refusal('not_found');
  return held;
}
