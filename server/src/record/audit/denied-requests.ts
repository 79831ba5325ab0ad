import { type Clock, toTimestamp } from '../../foundation/clock.ts';
import { actorOf, type Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { findMove, refusalOfMove } from '../../foundation/database/moving-projects.ts';
import type { AuditService } from './audit-service.ts';

/** A request that got a 403. */
export interface DeniedRequest {
  /** With the origin of the request. */
  readonly principal: Principal;
  readonly operationID: string;
  /** The code of the refusal. */
  readonly code: string;
  /** The project whose log says it; null: that of the installation. */
  readonly projectID: string | null;
}

interface DeniedRequestsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Pick<AuditService, 'record'>;
  readonly onFailure: (error: unknown) => void;
}

interface Counted {
  /** The first one. */
  readonly request: DeniedRequest;
  readonly firstAt: number;
  lastAt: number;
  count: number;
}

const countedMilliseconds = 60_000;
/** Further callers and routes within the same minute are counted together. */
const maxCounted = 1_000;

/**
 * Counts requests that got a 403, and records each caller and route once a minute. What is counted is lost if the process is killed, since denied
 * requests change nothing, and a write for each of them would help an attacker to overload the database.
 */
export class DeniedRequests {
  readonly #options: DeniedRequestsOptions;
  #counted = new Map<string, Counted>();
  #uncounted = 0;

  constructor(options: DeniedRequestsOptions) {
    this.#options = options;
  }

  note(request: DeniedRequest): void {
    const now = this.#options.clock();
    const { kind, id } = actorOf(request.principal);
    const key = `${kind} ${id} ${request.operationID} ${request.projectID}`;
    const known = this.#counted.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.lastAt = now;
    } else if (this.#counted.size < maxCounted) {
      this.#counted.set(key, { request, firstAt: now, lastAt: now, count: 1 });
    } else {
      this.#uncounted += 1;
    }
  }

  /** Records what was counted until now, if the first of it was a minute ago. */
  async flushDue(): Promise<void> {
    const [first] = this.#counted.values();
    if (first === undefined || this.#options.clock() < first.firstAt + countedMilliseconds) return;
    await this.flush();
  }

  /** Records what was counted until now. */
  async flush(): Promise<void> {
    const { database, audit } = this.#options;
    const counted = [...this.#counted.values()];
    const uncounted = this.#uncounted;
    this.#counted = new Map();
    this.#uncounted = 0;
    for (const { request, firstAt, lastAt, count } of counted) {
      const { principal, projectID, operationID, code } = request;
      // Its log is complete where the project has gone.
      if (projectID !== null && (await isAway(database, projectID))) continue;
      await database.write.transaction().execute((trx) =>
        audit.record(trx, principal, {
          projectID,
          action: 'request.denied',
          target: { kind: 'route', id: operationID },
          after: { count, code, firstAt: toTimestamp(firstAt), lastAt: toTimestamp(lastAt) },
        }),
      );
    }
    if (uncounted === 0) return;
    await database.write.transaction().execute((trx) =>
      audit.record(
        trx,
        { kind: 'system', name: null },
        {
          projectID: null,
          action: 'request.denied',
          target: { kind: 'installation', id: null },
          after: { count: uncounted, reason: `more than ${maxCounted} callers and routes within a minute` },
        },
      ),
    );
  }

  async close(): Promise<void> {
    await this.flush().catch(this.#options.onFailure);
  }
}

async function isAway({ read }: Database, projectID: string): Promise<boolean> {
  const move = await findMove(read, projectID);
  return move !== undefined && refusalOfMove(move, 'people') !== undefined;
}
