import type { ServerResponse } from 'node:http';
import type { Grant } from '@muster/contract';
import type { Admission } from '../../foundation/credentials/admission.ts';
import { type ListenedTypes, selectTypes } from './listened-types.ts';

interface ListenerParts {
  readonly projectID: string;
  readonly types: ListenedTypes;
  readonly admission: Admission;
  /** The permissions of its credential in the project. */
  readonly held: readonly Grant[];
  readonly response: ServerResponse;
  /** The number of the last event before the stream. */
  readonly position: number;
  readonly monotonic: () => number;
}

/** One open stream. It holds no events: events that its client has not read are read again from the database. */
export class EventListener {
  readonly projectID: string;
  readonly types: ListenedTypes;
  admission: Admission;
  /** The permissions of its credential in the project. The stream ends when they change. */
  readonly held: readonly Grant[];
  /** The types that it asked for and may read. */
  readonly selection: string;
  /** All events up to this number were written, or have other types. */
  position: number;
  readonly #response: ServerResponse;
  readonly #monotonic: () => number;
  #wroteAt: number;
  #blockedSince: number | undefined;

  constructor({ projectID, types, admission, held, response, position, monotonic }: ListenerParts) {
    this.projectID = projectID;
    this.types = types;
    this.admission = admission;
    this.held = held;
    this.selection = selectTypes(held, types);
    this.position = position;
    this.#response = response;
    this.#monotonic = monotonic;
    this.#wroteAt = monotonic();
  }

  /** True while the client reads too slowly, so that nothing is written. */
  get isBlocked(): boolean {
    return this.#blockedSince !== undefined;
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** True if it may be written to. */
  get isReady(): boolean {
    return this.isOpen && !this.isBlocked;
  }

  write(frames: string): void {
    if (!this.isOpen) return;
    this.#wroteAt = this.#monotonic();
    if (!this.#response.write(frames)) this.#blockedSince ??= this.#wroteAt;
  }

  unblock(): void {
    this.#blockedSince = undefined;
  }

  /** The time since the last write, in milliseconds. */
  get silentMilliseconds(): number {
    return this.#monotonic() - this.#wroteAt;
  }

  get blockedMilliseconds(): number {
    return this.#blockedSince === undefined ? 0 : this.#monotonic() - this.#blockedSince;
  }

  end(): void {
    if (this.isOpen) this.#response.end();
  }

  /** For a client that does not read: `end` would wait for it. */
  cut(): void {
    this.#response.socket?.resetAndDestroy();
  }
}
