import {
  type CoreInstanceBatchResult,
  maxItemAgeDays,
  nextPingSeconds,
  type Problem,
} from '@muster/contract';
import { ReportRates } from '@muster/http/limits/report-rate';
import type { RepeatsOfError, ReportService } from '../../errors/reporting/report-service.ts';
import type { SiteFleetService } from '../../fleet/fleets/site-fleet-service.ts';
import type { Clock, MonotonicClock, NewID } from '../../foundation/clock.ts';
import type { Admission } from '../../foundation/credentials/admission.ts';
import type { CoreInstancePrincipal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { refuseMoving } from '../../foundation/database/moving-projects.ts';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';
import type { TokenService } from '../../people/tokens/token-service.ts';
import { addReceived } from '../received-minutes.ts';
import type { SiteCredentialList } from '../site-credentials.ts';
import * as store from './batch-store.ts';
import { ItemRun, type ItemRunServices } from './item-run.ts';
import type { ReadItem, ReceivedBatch } from './read-batch.ts';
import { SiteCallers } from './site-callers.ts';

interface BatchServiceOptions extends ItemRunServices {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly newID: NewID;
  readonly tokens: Pick<TokenService, 'findForSite' | 'noteUse'>;
  readonly reports: Pick<ReportService, 'storeOfSite' | 'addRepeatsWithin'>;
  /** Writes what was heard of agents. */
  readonly signs: { flush(): Promise<void> };
  /** Called when a core instance left out batches. */
  readonly onGap: (gap: SequenceGap) => void;
  readonly siteCredentials: Pick<SiteCredentialList, 'cursorOf'>;
  readonly siteFleets: Pick<SiteFleetService, 'generation'>;
}

interface SequenceGap {
  readonly coreInstanceID: string;
  readonly expected: number;
  readonly sequence: number;
}

interface BatchCall {
  /** With its `origin`. */
  readonly instance: CoreInstancePrincipal;
  readonly admission: Admission;
  readonly batch: ReceivedBatch;
  readonly readItem: ReadItem;
  /** The form in which a refused item is named in the answer. */
  readonly toProblem: (refusal: Refusal) => Problem;
}

/** What was refused of a batch, and the aliases that it made. */
type Outcome = Pick<CoreInstanceBatchResult, 'refused' | 'aliases'>;

type Item = ReturnType<ReadItem>;

const maxAgeMilliseconds = maxItemAgeDays * 86_400_000;
/** A request takes at most half of this. A time that is earlier by more has another reason, and is kept. */
const maxJitterMilliseconds = 60_000;
/** Batches of one core instance that wait at a time. A core instance sends one after the other. */
const maxWaiting = 3;
/** Items and errors. A core instance sends at most 4,000 a second. One that sends much more would take the time of the database from others. */
const maxPerSecond = 10_000;

/** Applies what agents sent to sites, each batch exactly once. */
export class BatchService {
  readonly #options: BatchServiceOptions;
  /** Names this process among replicas. */
  readonly #holder: string;
  /** By core instance, the batches that wait or are applied. */
  readonly #turns = new Map<string, { count: number; last: Promise<unknown> }>();
  /** By core instance. */
  readonly #rates = new ReportRates();

  constructor(options: BatchServiceOptions) {
    this.#options = options;
    this.#holder = options.newID();
  }

  /** @throws Refusal core_instance_deleted, overloaded, database_unavailable */
  async apply(call: BatchCall): Promise<CoreInstanceBatchResult> {
    const { siteCredentials, siteFleets } = this.#options;
    const { instance } = call;
    this.#take(instance.coreInstanceID, call.batch.size);
    const stored = await this.#inTurn(instance.coreInstanceID, () => this.#apply(call));
    return {
      ...stored,
      nextPing: `${nextPingSeconds}s`,
      credentialsCursor: await siteCredentials.cursorOf(instance),
      fleetGeneration: await siteFleets.generation(),
      rotateBefore: instance.earlierValue?.endsAt ?? null,
    };
  }

  /** @throws Refusal overloaded */
  #take(coreInstanceID: string, size: number): void {
    const now = this.#options.monotonic();
    const rate = this.#rates.of(coreInstanceID, maxPerSecond);
    const wait = rate.waitAt(now);
    if (wait > 0) throw new Refusal('overloaded', { retryAfterSeconds: Math.ceil(wait / 1_000) });
    rate.take(size, now);
  }

  async #inTurn<Result>(coreInstanceID: string, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.get(coreInstanceID) ?? { count: 0, last: Promise.resolve() };
    if (turn.count >= maxWaiting) throw new Refusal('overloaded', { retryAfterSeconds: 1 });
    this.#turns.set(coreInstanceID, turn);
    turn.count += 1;
    const result = turn.last.then(work);
    turn.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      turn.count -= 1;
      if (turn.count === 0) this.#turns.delete(coreInstanceID);
    }
  }

  async #apply(call: BatchCall): Promise<Outcome & { readonly sequence: number }> {
    const { database, clock } = this.#options;
    const { coreInstanceID } = call.instance;
    const claim = { coreInstanceID, holder: this.#holder };
    const { sequence, status } = call.batch;
    const now = clock();
    const offset = status.sentAt - now;
    const before = await store.claimBatches(
      database.write,
      database.engine,
      claim,
      { sequence, offset },
      now,
    );
    if (before === undefined) throw await this.#whyRefused(coreInstanceID);
    if (sequence > before.sequence) {
      try {
        // Its last commit ends the turn.
        return await this.#applyNew(call, claim, before, { now, offset });
      } catch (error) {
        await store.releaseBatches(database.write, claim);
        throw error;
      }
    }
    await store.releaseBatches(database.write, claim);
    const isLast = sequence === before.sequence;
    return { sequence: before.sequence, ...(isLast ? readOutcome(before.last_result) : nothing()) };
  }

  async #whyRefused(coreInstanceID: string): Promise<Refusal> {
    const isThere = await store.isThere(this.#options.database.write, coreInstanceID);
    return isThere
      ? new Refusal('overloaded', { retryAfterSeconds: 2 })
      : new Refusal('core_instance_deleted');
  }

  async #applyNew(
    call: BatchCall,
    claim: store.Claim,
    before: store.ClaimedBatches,
    { now, offset }: { readonly now: number; readonly offset: number },
  ) {
    const { database, clock, signs, reports, fleetAgents, onGap } = this.#options;
    const { instance, admission, batch, toProblem } = call;
    const { sequence, status } = batch;
    if (sequence - before.sequence > store.maxGap) {
      throw invalidBody([
        {
          path: '/sequence',
          message: `must be at most ${store.maxGap} above the newest, ${before.sequence}`,
        },
      ]);
    }
    if (before.sequence > 0 && sequence > before.sequence + 1 && before.attempts === 1) {
      onGap({ coreInstanceID: claim.coreInstanceID, expected: before.sequence + 1, sequence });
    }
    const { attempted_at, attempt_offset_ms, attempt_floor: floor } = before;
    const timeOf = (at: number): number =>
      Math.min(attempted_at, Math.max(at - attempt_offset_ms, attempted_at - maxAgeMilliseconds));
    let newestReportAt = before.newest_report_at;
    const timeOfReport = (at: number): number => {
      const corrected = timeOf(at);
      const isJitter = corrected < floor && floor - corrected <= maxJitterMilliseconds;
      const time = isJitter ? floor : corrected;
      newestReportAt = Math.max(newestReportAt ?? 0, time);
      return time;
    };
    const outcome = before.applied_items > 0 ? readOutcome(before.last_result) : nothing();
    let progress: store.BatchProgress = before;

    const commit = async (
      change: Omit<Parameters<typeof store.noteProgress>[3], keyof store.BatchProgress> &
        Pick<store.BatchProgress, 'applied_sequence' | 'applied_items'> & { readonly sequence?: number },
      repeats: readonly RepeatsOfError[],
    ): Promise<void> => {
      const last_result = writeOutcome(outcome);
      const newest_report_at = newestReportAt;
      await database.write.transaction().execute(async (trx) => {
        // What is not acknowledged, the site sends again.
        await refuseMoving(trx, instance.projectID);
        if (
          !(await store.noteProgress(
            trx,
            claim,
            progress,
            { ...change, newest_report_at, last_result },
            clock(),
          ))
        )
          throw new Refusal('overloaded', { retryAfterSeconds: 1 });
        await reports.addRepeatsWithin(trx, repeats);
      });
      const { sequence: newest = progress.sequence, applied_sequence, applied_items } = change;
      progress = { sequence: newest, applied_sequence, applied_items, newest_report_at, last_result };
    };

    const onRefused = (index: number, refusal: Refusal): void => {
      outcome.refused.push({ index, error: toProblem(refusal) });
    };
    const items = readItems(call, before.applied_items);
    const callers = await SiteCallers.find(
      this.#options,
      instance,
      items.flatMap(({ item }) => (item instanceof Refusal ? [] : [item])),
    );
    let isLast = false;
    const run = new ItemRun({
      ...this.#options,
      instance,
      admission,
      callers,
      sequence,
      timeOf,
      timeOfReport,
      onRefused,
      onAlias: async (siteID, agentID) => {
        await store.insertAlias(database.write, {
          project_id: instance.projectID,
          alias_id: siteID,
          agent_id: agentID,
          created_at: now,
        });
        outcome.aliases.push({ agentID: siteID, canonicalID: agentID });
      },
      commit: async (appliedItems, repeats) => {
        if (!isLast) return commit({ applied_sequence: sequence, applied_items: appliedItems }, repeats);
        // The core instance forgets what it has sent after this commit.
        await signs.flush();
        await fleetAgents.flush();
        const ended = { sequence, applied_sequence: 0, applied_items: 0, claimed_by: null };
        const own = { ...describe(status, offset, now), ...countReceived(batch, before, now) };
        return commit({ ...own, ...countRefused(outcome, now), ...ended }, repeats);
      },
    });
    for (const { index, item } of items) {
      if (item instanceof Refusal) onRefused(index, item);
      else await run.apply(index, item);
    }
    isLast = true;
    await run.flush(batch.items.length);
    return { sequence, ...outcome };
  }
}

/** The items that are not applied yet, or why they are refused. */
function readItems(
  { batch, readItem }: BatchCall,
  first: number,
): readonly { readonly index: number; readonly item: Item | Refusal }[] {
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

/** What the core instance says of itself, in times of this service. */
function describe(status: BatchCall['batch']['status'], offset: number, now: number) {
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
function countReceived({ received }: ReceivedBatch, { received_minutes }: store.ClaimedBatches, now: number) {
  return received > 0 && { received_minutes: addReceived(received_minutes, now, received) };
}

/** With the last commit of a batch, so that an item of an interrupted one counts once. */
function countRefused({ refused }: Outcome, now: number) {
  const last = refused.at(-1);
  return (
    last && { ...store.moreRefused(refused.length), last_refused_at: now, last_refusal_code: last.error.code }
  );
}

function nothing(): Outcome {
  return { refused: [], aliases: [] };
}

function readOutcome(column: string | null): Outcome {
  return column === null ? nothing() : JSON.parse(column); // written below alone
}

function writeOutcome(outcome: Outcome): string | null {
  return outcome.refused.length + outcome.aliases.length === 0 ? null : JSON.stringify(outcome);
}
