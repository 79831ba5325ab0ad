import { type CreateAlertRule, maxPreviewedAlerts, previewDays } from '@muster/contract';
import type { Clock } from '../../../foundation/clock.ts';
import { describePrincipal, type Principal } from '../../../foundation/credentials/principal.ts';
import type { Database } from '../../../foundation/database/database.ts';
import type { Searches } from '../../../foundation/database/searches.ts';
import { messagePauseMilliseconds } from '../outbox/message-writer.ts';
import { toRule } from '../rules/read-rule.ts';
import type { RuleService } from '../rules/rule-service.ts';
import { findPastAlerts, type PastAlerts } from './find-past-alerts.ts';

interface RulePreviewOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: Pick<RuleService, 'draft'>;
  readonly searches: Searches;
  /** Counts agents by status, and groups the errors that were stored before the call. */
  readonly countChanges: (projectID: string) => Promise<unknown>;
}

export interface RulePreview extends PastAlerts {
  /** Milliseconds. */
  readonly since: number;
  readonly until: number;
  /** Undefined: as `count`. */
  readonly messages: number | undefined;
}

/** What a rule would have told in the last days. Nothing is stored for it: it is read from groups, errors, tokens and members. */
export class RulePreviewService {
  readonly #options: RulePreviewOptions;

  constructor(options: RulePreviewOptions) {
    this.#options = options;
  }

  /**
   * @param hangUp aborted when the client has hung up
   * @throws Refusal not_found, invalid_body, overloaded, database_unavailable
   */
  async preview(
    principal: Principal,
    projectID: string,
    input: CreateAlertRule,
    hangUp: AbortSignal,
  ): Promise<RulePreview> {
    const { clock, countChanges, database, rules, searches } = this.#options;
    const rule = toRule(await rules.draft(principal, projectID, input));
    await countChanges(projectID);
    // What happens in this millisecond is included.
    const until = clock() + 1;
    const since = until - previewDays * 86_400_000;
    const time = { engine: database.engine, since, until, maxDescribed: maxPreviewedAlerts };
    const found = await searches.run(
      describePrincipal(principal),
      hangUp,
      (turn) => findPastAlerts(turn, rule, time),
      principal,
    );
    const messages = found.count === undefined ? undefined : countMessages(found.times);
    return { ...found, since, until, messages };
  }
}

/** What happens within a minute after a message is told by the next one. @param times oldest first */
function countMessages(times: readonly number[]): number {
  let count = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  for (const at of times) {
    if (at <= lastAt) continue;
    lastAt = Math.max(at, lastAt + messagePauseMilliseconds);
    count += 1;
  }
  return count;
}
