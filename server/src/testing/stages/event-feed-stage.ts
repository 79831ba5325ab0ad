import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Admission } from '../../foundation/credentials/admission.ts';
import { grantsIn, type Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { migrate } from '../../foundation/database/migrate.ts';
import { openDatabase } from '../../foundation/database/open-database.ts';
import type { StreamEndReason } from '../../foundation/stream-end-reason.ts';
import { EventFeed } from '../../record/events/event-feed.ts';
import { EventListener } from '../../record/events/event-listener.ts';
import { parseTypes } from '../../record/events/listened-types.ts';
import { parseEvents, type ReceivedEvent } from '../receivers/event-stream.ts';
import { createTestClock, type TestClock } from '../test-clock.ts';
import { dropTestDatabase, prepareMigratedDatabase } from '../test-database.ts';

interface FeedOptions {
  readonly requireProject?: () => Promise<unknown>;
  readonly maxCheckMilliseconds?: number;
}

interface ListenerOptions {
  readonly position: number;
  readonly types?: string;
  readonly principal?: Principal;
  /** Absent: the credential stays valid. */
  readonly renew?: () => Promise<Principal>;
  /** The client takes nothing from its connection. */
  readonly isPaused?: boolean;
  /** The test adds it to the feed. */
  readonly isHeldBack?: boolean;
}

const neverMilliseconds = 1_000_000;

/** A listener whose client is a real connection. */
export interface StagedListener {
  readonly listener: EventListener;
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly events: () => readonly ReceivedEvent[];
  /** The connection is closed, by whomever. */
  readonly ended: Promise<unknown>;
}

/** A feed that looks only when it is woken, on a database to which a test adds events by hand. */
export class EventFeedStage {
  readonly clock: TestClock = createTestClock();
  readonly failures: unknown[] = [];
  readonly ends: StreamEndReason[] = [];
  readonly database: Database;
  readonly #directory: string;
  readonly #server = createServer((request, response) => this.#arrivals.get(request.url ?? '')?.(response));
  readonly #closings: AbortController[] = [];
  readonly #feeds: EventFeed[] = [];
  readonly #arrivals = new Map<string, (response: ServerResponse) => void>();
  #connections = 0;

  private constructor(directory: string, database: Database) {
    this.#directory = directory;
    this.database = database;
  }

  static async open(): Promise<EventFeedStage> {
    const directory = mkdtempSync(join(tmpdir(), 'muster-feed-'));
    const databaseUrl = await prepareMigratedDatabase(directory);
    const database = await openDatabase({
      dataDirectory: directory,
      databaseUrl,
      onConnectionError: () => undefined,
    });
    await migrate(database);
    const stage = new EventFeedStage(directory, database);
    stage.#server.listen(0, '127.0.0.1');
    await once(stage.#server, 'listening');
    return stage;
  }

  createFeed({ requireProject, maxCheckMilliseconds }: FeedOptions = {}): EventFeed {
    const closing = new AbortController();
    this.#closings.push(closing);
    const feed = new EventFeed({
      database: this.database,
      clock: this.clock.now,
      monotonic: this.clock.monotonic,
      closing: closing.signal,
      onFailure: (error) => this.failures.push(error),
      onEnd: (reason) => this.ends.push(reason),
      requireProject: requireProject ?? (async () => undefined),
      pollMilliseconds: neverMilliseconds,
      maxCheckMilliseconds: maxCheckMilliseconds ?? neverMilliseconds,
    });
    this.#feeds.push(feed);
    return feed;
  }

  /** Adds events behind the last one. */
  async addEvents(projectID: string, count: number, text = ''): Promise<void> {
    await this.database.write.transaction().execute(async (trx) => {
      const { rows } = await sql<{ last_sequence: number }>`
        insert into event_sequences as known (project_id, last_sequence, removed_through)
        values (${projectID}, ${count}, 0)
        on conflict (project_id) do update set last_sequence = known.last_sequence + excluded.last_sequence
        returning last_sequence`.execute(trx);
      const first = (rows[0]?.last_sequence ?? count) - count + 1;
      const data = JSON.stringify({ text });
      for (let sequence = first; sequence < first + count; sequence += 1) {
        await sql`
          insert into events (project_id, sequence, type, data, created_at)
          values (${projectID}, ${sequence}, 'agent.registered', ${data}, ${this.clock.now()})`.execute(trx);
      }
    });
  }

  /** Removes events through this one, as retention does. */
  async removeThrough(projectID: string, sequence: number): Promise<void> {
    await this.database.write.transaction().execute(async (trx) => {
      await sql`
        update event_sequences set removed_through = ${sequence} where project_id = ${projectID}`.execute(
        trx,
      );
      await sql`delete from events where project_id = ${projectID} and sequence <= ${sequence}`.execute(trx);
    });
  }

  /** Opens a connection, and makes its listener, which joins the feed unless it is held back. */
  async listen(feed: EventFeed, projectID: string, options: ListenerOptions): Promise<StagedListener> {
    const { position, types, isPaused = false } = options;
    const { port } = this.#server.address() as AddressInfo; // it listens on a port
    this.#connections += 1;
    const path = `/${this.#connections}`;
    const arrived = new Promise<ServerResponse>((resolve) => this.#arrivals.set(path, resolve));
    const socket = connect(port, '127.0.0.1');
    let text = '';
    if (isPaused) socket.pause();
    else socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    // HTTP 1.0: the answer comes without chunks.
    socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
    const response = await arrived;
    // A client that does not read does not see the end.
    const ended = once(isPaused ? response : socket, 'close');
    response.writeHead(200);
    const principal = options.principal ?? operator;
    const admissionOf = (one: Principal): Admission => ({
      principal: one,
      generation: 0,
      renew: async () => admissionOf(options.renew === undefined ? one : await options.renew()),
    });
    const listener = new EventListener({
      projectID,
      types: parseTypes(types),
      admission: admissionOf(principal),
      held: grantsIn(principal, projectID) ?? [],
      response,
      position,
      monotonic: this.clock.monotonic,
    });
    response.on('drain', () => feed.resume(listener));
    if (options.isHeldBack !== true) feed.add(listener);
    return {
      listener,
      response,
      socket,
      events: () => parseEvents(text.slice(text.indexOf('\r\n\r\n') + 4)),
      ended,
    };
  }

  async close(): Promise<void> {
    for (const closing of this.#closings) closing.abort();
    for (const feed of this.#feeds) await feed.close();
    this.#server.closeAllConnections();
    this.#server.close();
    await this.database.close();
    rmSync(this.#directory, { recursive: true });
    await dropTestDatabase(this.#directory);
  }
}

export const operator: Principal = {
  kind: 'access',
  userID: '0192f0a0-0000-7000-8000-00000000000a',
  name: 'operator',
  accessTokenID: undefined,
  isProvided: false,
  access: { installation: ['*'], everyProject: ['*'], projects: new Map() },
  isNarrowed: false,
  needs: [],
  expiresAt: null,
};
