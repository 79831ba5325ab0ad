import type { FastifyBaseLogger } from 'fastify';
import type { Clock, MonotonicClock, NewID } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Lists } from '../../foundation/database/lists.ts';
import type { Standby } from '../../foundation/database/standby.ts';
import type { ServiceMetrics } from '../../foundation/http/metrics/service-metrics.ts';
import type { RandomBytes } from '../../foundation/secret.ts';
import type { Config } from '../../foundation/settings/config.ts';
import type { AuditService } from '../../record/audit/audit-service.ts';

/** What every part of the service is made with. */
export interface AppParts {
  readonly config: Config;
  readonly database: Database;
  /** Where lists are read. */
  readonly lists: Lists;
  /** Undefined without MUSTER_READ_DATABASE_URL. */
  readonly standby: Standby | undefined;
  readonly logger: FastifyBaseLogger;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  /** The clock, but it never steps back. */
  readonly steadyClock: Clock;
  readonly newID: NewID;
  readonly randomBytes: RandomBytes;
  readonly metrics: ServiceMetrics;
  /** Records changes in their transactions. */
  readonly audit: AuditService;
  /** Aborts when the service stops. */
  readonly closing: AbortSignal;
  /** Called when a background task fails that will be tried again. */
  readonly onFailure: (error: unknown) => void;
}
