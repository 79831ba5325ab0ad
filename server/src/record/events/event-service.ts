import type { ServerResponse } from 'node:http';
import type { Clock, MonotonicClock } from '../../foundation/clock.ts';
import type { Admission } from '../../foundation/credentials/admission.ts';
import { describePrincipal, grantsIn, type Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { deleteInPortions } from '../../foundation/database/delete-in-portions.ts';
import type { StreamEndReason as EndReason } from '../../foundation/stream-end-reason.ts';
import { EventFeed } from './event-feed.ts';
import { frameOf, openingFrame, resetFrame } from './event-frame.ts';
import { EventListener } from './event-listener.ts';
import {
  deleteEventsBefore,
  deleteEventsBeyond,
  deleteEventsOfDeletedProjects,
  deleteIdleFolds,
  type EventRange,
  listEvents,
  noEvents,
  readEventRanges,
} from './event-store.ts';
import { type ListenedTypes, requireReadable, selects, selectTypes } from './listened-types.ts';
import { ListenerCounts, type ListenerLimits } from './listener-limits.ts';

interface EventServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
  /** Throws the Refusal not_found if the caller may not see the project. */
  readonly projects: { requireProject(principal: Principal, projectID: string): Promise<unknown> };
  readonly limits: ListenerLimits;
  /** For how many hours events are kept. */
  readonly hours: number;
  readonly onEnd: (reason: EndReason) => void;
  /** As in `EventFeed`. */
  readonly beforeSending?: (() => Promise<void>) | undefined;
  /** Absent: 250. */
  readonly pollMilliseconds?: number | undefined;
}

export interface EventRequest {
  readonly projectID: string;
  readonly types: ListenedTypes;
  /** The number of the last event that the caller has. Undefined: it wants only new events. */
  readonly lastEventID: number | undefined;
  readonly admission: Admission;
}

const usualPollMilliseconds = 250;
const maxEventsPerAnswer = 1_000;
const hourMilliseconds = 3_600_000;
/** With this limit, a storm of many groups cannot fill the disk before its events are outdated. */
const maxEventsPerProject = 1_000_000;

/** Streams of the events of projects. */
export class EventService {
  readonly #options: EventServiceOptions;
  readonly #feed: EventFeed;
  readonly #counts: ListenerCounts;

  constructor(options: EventServiceOptions) {
    this.#options = options;
    this.#counts = new ListenerCounts(options.limits);
    this.#feed = new EventFeed({
      ...options,
      pollMilliseconds: options.pollMilliseconds ?? usualPollMilliseconds,
      requireProject: ({ admission, projectID }) =>
        options.projects.requireProject(admission.principal, projectID),
    });
  }

  get listeners(): number {
    return this.#counts.all;
  }

  /** Called when events were written. Passes them on at once. */
  wake(): void {
    this.#feed.wake();
  }

  /**
   * Returns the stored events as one text.
   *
   * @throws Refusal permission_denied, not_found
   */
  async list(request: EventRequest): Promise<string> {
    const { projectID, types, lastEventID, admission } = request;
    const { last, removedThrough } = await this.#begin(request);
    const after = lastEventID ?? last;
    const page = { after, through: last, limit: maxEventsPerAnswer };
    const events = await listEvents(this.#options.database.read, projectID, page);
    const isLost = after < removedThrough || after > last;
    // The second condition: events were removed after the range was read.
    if (isLost || (after < last && events[0]?.sequence !== after + 1)) {
      return [openingFrame(last), resetFrame(last, this.#options.clock())].join('');
    }
    const selection = selectTypes(grantsIn(admission.principal, projectID) ?? [], types);
    const frames = events.filter(({ type }) => selects(selection, type)).map(frameOf);
    // The last id, also if the last events have other types.
    return [openingFrame(after), ...frames, `id: ${events.at(-1)?.sequence ?? after}\n\n`].join('');
  }

  /**
   * Prepares a stream. The returned function writes it.
   *
   * @throws Refusal permission_denied, not_found, too_many_event_listeners, overloaded
   */
  async open(request: EventRequest): Promise<(response: ServerResponse) => void> {
    const { projectID, types, lastEventID, admission } = request;
    const { last } = await this.#begin(request);
    const caller = describePrincipal(admission.principal);
    const leave = this.#counts.take(projectID, caller);
    const position = lastEventID ?? last;
    return (response) => {
      if (response.destroyed || response.writableEnded) {
        leave();
        return;
      }
      const { monotonic } = this.#options;
      const held = grantsIn(admission.principal, projectID) ?? [];
      const parts = { projectID, types, admission, held, response, position, monotonic };
      const listener = new EventListener(parts);
      response.once('close', () => {
        leave();
        this.#feed.remove(listener);
      });
      response.on('drain', () => this.#feed.resume(listener));
      listener.write(openingFrame(position));
      this.#feed.add(listener);
    };
  }

  /** Removes outdated events. */
  async purge(): Promise<void> {
    const { database, closing, clock, hours } = this.#options;
    const { write } = database;
    const before = clock() - hours * hourMilliseconds;
    await deleteInPortions(closing, (limit) => deleteEventsOfDeletedProjects(write, limit));
    await deleteInPortions(closing, (limit) => deleteEventsBefore(write, { before, limit }));
    await deleteInPortions(closing, (limit) => deleteEventsBeyond(write, maxEventsPerProject, limit));
    await deleteIdleFolds(write, before);
  }

  async close(): Promise<void> {
    await this.#feed.close();
  }

  async #begin({ projectID, types, admission }: EventRequest): Promise<EventRange> {
    const { principal } = admission;
    // Of a token, before the project is looked up, as on every route.
    const held = principal.kind === 'access' ? grantsIn(principal, projectID) : principal.grants;
    if (held !== undefined) requireReadable(held, types);
    await this.#options.projects.requireProject(principal, projectID);
    const ranges = await readEventRanges(this.#options.database.read, [projectID]);
    return ranges.get(projectID) ?? noEvents;
  }
}
