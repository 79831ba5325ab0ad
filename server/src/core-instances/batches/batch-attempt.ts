import type { CoreInstanceBatchResult, Problem } from '@muster/contract';
import type { UpdateObject } from 'kysely';
import type { RepeatsOfError, ReportService } from '../../errors/reporting/report-service.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Admission } from '../../foundation/credentials/admission.ts';
import type { CoreInstancePrincipal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { refuseMoving } from '../../foundation/database/moving-projects.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { TokenService } from '../../people/tokens/token-service.ts';
import { addReceived } from '../received-minutes.ts';
import * as store from './batch-store.ts';
import { BatchTimes } from './batch-times.ts';
import { ItemRun, type ItemRunServices } from './item-run.ts';
import type { ReadItem, ReceivedBatch } from './read-batch.ts';
import { SiteCallers } from './site-callers.ts';

export interface BatchAttemptServices extends ItemRunServices {
  readonly database: Database;
  readonly clock: Clock;
  readonly tokens: Pick<TokenService, 'findForSite' | 'noteUse'>;
  readonly reports: Pick<ReportService, 'storeOfSite' | 'addRepeatsWithin'>;
  /** Writes what was heard of agents. */
  readonly signs: { flush(): Promise<void> };
}

export interface BatchCall {
  /** With its `origin`. */
  readonly instance: CoreInstancePrincipal;
  readonly admission: Admission;
  readonly batch: ReceivedBatch;
  readonly readItem: ReadItem;
  /** The form in which a refused item is named in the answer. */
  readonly toProblem: (refusal: Refusal) => Problem;
}

/** A batch whose turn it is. */
export interface Turn {
  readonly claim: store.Claim;
  /** The row of the core instance since then. */
  readonly claimed: store.ClaimedBatches;
  readonly now: number;
  /** How far the clock of the site is ahead, in milliseconds. */
  readonly offset: number;
}

/** What was refused of a batch, and the aliases that it made. */
type Outcome = Pick<CoreInstanceBatchResult, 'refused' | 'aliases'>;

type Change = UpdateObject<Tables, 'core_instances'> &
  Pick<store.BatchProgress, 'applied_sequence' | 'applied_items'> & { readonly sequence?: number };

/** One attempt to apply a batch: it begins where the attempt before has ended, and each commit says how far the batch is applied by then. */
export class BatchAttempt {
  readonly #services: BatchAttemptServices;
  readonly #call: BatchCall;
  readonly #turn: Turn;
  readonly #times: BatchTimes;
  readonly #outcome: Outcome;
  #progress: store.BatchProgress;
  #frozenAt = 0;

  constructor(services: BatchAttemptServices, call: BatchCall, turn: Turn) {
    const { claimed } = turn;
    this.#services = services;
    this.#call = call;
    this.#turn = turn;
    this.#times = new BatchTimes(claimed);
    // Before its first commit, the row has the outcome of the batch before.
    this.#outcome = readOutcome(claimed.applied_items > 0 ? claimed.last_result : null);
    this.#progress = claimed;
  }

  /** Its last commit ends the turn. */
  async apply(): Promise<Outcome> {
    const { instance, admission, batch } = this.#call;
    this.#frozenAt = await refuseMoving(this.#services.database.read, instance.projectID);
    const items = this.#readItems();
    const callers = await SiteCallers.find(
      this.#services,
      instance,
      items.flatMap(({ item }) => (item instanceof Refusal ? [] : [item])),
    );
    const count = batch.items.length;
    const run = new ItemRun({
      ...this.#services,
      instance,
      admission,
      callers,
      sequence: batch.sequence,
      times: this.#times,
      isTriedAgain: this.#turn.claimed.attempts > 1,
      onRefused: (index, refusal) => this.#noteRefused(index, refusal),
      onAlias: (siteID, agentID) => this.#addAlias(siteID, agentID),
      commit: (applied, repeats) =>
        applied < count ? this.#commitItems(applied, repeats) : this.#commitAll(repeats),
    });
    for (const { index, item } of items) {
      if (item instanceof Refusal) this.#noteRefused(index, item);
      else await run.apply(index, item);
    }
    await run.flush(count);
    return this.#outcome;
  }

  /** The items that are not applied yet, or why they are refused. */
  #readItems() {
    const { batch, readItem } = this.#call;
    const first = this.#turn.claimed.applied_items;
    return batch.items.slice(first).map((given, place) => {
      const index = first + place;
      try {
        return { index, item: readItem(given) };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { index, item: error };
      }
    });
  }

  #noteRefused(index: number, refusal: Refusal): void {
    this.#outcome.refused.push({ index, error: this.#call.toProblem(refusal) });
  }

  async #addAlias(siteID: string, agentID: string): Promise<void> {
    await store.insertAlias(this.#services.database.write, {
      project_id: this.#call.instance.projectID,
      alias_id: siteID,
      agent_id: agentID,
      created_at: this.#turn.now,
    });
    this.#outcome.aliases.push({ agentID: siteID, canonicalID: agentID });
  }

  async #commitItems(applied: number, repeats: readonly RepeatsOfError[]): Promise<void> {
    const { sequence } = this.#call.batch;
    await this.#commit({ applied_sequence: sequence, applied_items: applied }, repeats);
  }

  async #commitAll(repeats: readonly RepeatsOfError[]): Promise<void> {
    const { signs, fleetAgents } = this.#services;
    const { sequence, id } = this.#call.batch;
    // The core instance forgets what it has sent after this commit.
    await signs.flush();
    await fleetAgents.flush();
    const ended = { sequence, batch_id: id, applied_sequence: 0, applied_items: 0, claimed_by: null };
    const told = { ...this.#describe(), ...this.#countReceived(), ...this.#countRefused() };
    await this.#commit({ ...told, ...ended }, repeats);
  }

  async #commit(change: Change, repeats: readonly RepeatsOfError[]): Promise<void> {
    const { database, clock, reports } = this.#services;
    const { claim } = this.#turn;
    const last_result = writeOutcome(this.#outcome);
    const newest_report_at = this.#times.newestReportAt;
    const after = { ...change, newest_report_at, last_result };
    await database.write.transaction().execute(async (trx) => {
      // What is not acknowledged, the site sends again.
      const frozenAt = await refuseMoving(trx, this.#call.instance.projectID);
      // Items were refused because nothing was found of a frozen project, which is here again.
      if (frozenAt !== this.#frozenAt) throw new Refusal('project_moving', { retryAfterSeconds: 1 });
      if (!(await store.noteProgress(trx, claim, this.#progress, after, clock())))
        throw new Refusal('overloaded', { retryAfterSeconds: 1 });
      await reports.addRepeatsWithin(trx, repeats);
    });
    const { sequence = this.#progress.sequence, applied_sequence, applied_items } = change;
    this.#progress = { sequence, applied_sequence, applied_items, newest_report_at, last_result };
  }

  /** What the core instance says of itself, in times of this service. */
  #describe() {
    const { now, offset } = this.#turn;
    const { status } = this.#call.batch;
    const timeOf = (at: number | null): number | null =>
      at === null ? null : Math.min(now, Math.max(0, at - offset));
    return {
      version: status.version,
      started_at: timeOf(status.startedAt),
      spooled_count: status.spooledCount,
      spooled_bytes: status.spooledBytes,
      oldest_spooled_at: timeOf(status.oldestSpooledAt),
      lost_count: status.lostCount,
      last_loss_at: timeOf(status.lastLossAt),
      clock_offset_ms: offset,
    };
  }

  /** With the last commit of a batch, as below. A sign of life alone changes nothing. */
  #countReceived() {
    const { received } = this.#call.batch;
    const { now, claimed } = this.#turn;
    return received > 0 && { received_minutes: addReceived(claimed.received_minutes, now, received) };
  }

  /** With the last commit of a batch, so that an item of an interrupted one counts once. */
  #countRefused() {
    const { refused } = this.#outcome;
    const last = refused.at(-1);
    return (
      last && {
        ...store.moreRefused(refused.length),
        last_refused_at: this.#turn.now,
        last_refusal_code: last.error.code,
      }
    );
  }
}

/** Null: of a batch of which nothing was refused. */
export function readOutcome(column: string | null): Outcome {
  return column === null ? { refused: [], aliases: [] } : JSON.parse(column); // written below alone
}

function writeOutcome(outcome: Outcome): string | null {
  return outcome.refused.length + outcome.aliases.length === 0 ? null : JSON.stringify(outcome);
}
