import { type CoreInstanceBatchResult, nextPingSeconds } from '@muster/contract';
import { ReportRates } from '@muster/http/limits/report-rate';
import type { SiteFleetService } from '../../fleet/fleets/site-fleet-service.ts';
import type { MonotonicClock, NewID } from '../../foundation/clock.ts';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';
import type { SiteCredentialList } from '../site-credentials.ts';
import {
  BatchAttempt,
  type BatchAttemptServices,
  type BatchCall,
  readOutcome,
  type Turn,
} from './batch-attempt.ts';
import * as store from './batch-store.ts';

interface BatchServiceOptions extends BatchAttemptServices {
  readonly monotonic: MonotonicClock;
  readonly newID: NewID;
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

/** What is answered of the batch itself. */
type Applied = Pick<CoreInstanceBatchResult, 'sequence' | 'batchID' | 'pendingID' | 'refused' | 'aliases'>;

/** Batches of one core instance that wait at a time. A core instance sends one after the other. */
const maxWaiting = 3;
/** Items and errors. A core instance sends at most 4,000 a second. One that sends much more would take the time of the database from others. */
const maxPerSecond = 10_000;

/** Takes what agents sent to sites, one batch of a core instance after the other, and applies each exactly once. */
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
    const applied = await this.#inTurn(instance.coreInstanceID, () => this.#apply(call));
    return {
      ...applied,
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

  async #apply(call: BatchCall): Promise<Applied> {
    const { database } = this.#options;
    if (isQuestion(call.batch)) return await this.#answer(call.instance);
    const turn = await this.#claim(call);
    const { claim, claimed } = turn;
    const { sequence, id } = call.batch;
    if (sequence > claimed.sequence) {
      try {
        this.#checkGap(sequence, turn);
        const outcome = await new BatchAttempt(this.#options, call, turn).apply();
        return { sequence, batchID: id, pendingID: null, ...outcome };
      } catch (error) {
        await store.releaseBatches(database.write, claim);
        throw error;
      }
    }
    const isLast = sequence === claimed.sequence;
    if (isLast && isOther(claimed.batch_id, id)) {
      // Its state folder was restored. What it sends now would be lost with the answer of another batch: it sends it again with a new number.
      await store.skipNumber(database.write, claim, sequence);
      return { sequence: sequence + 1, batchID: store.noBatch, pendingID: null, refused: [], aliases: [] };
    }
    await store.releaseBatches(database.write, claim);
    return answerOf(claimed, isLast);
  }

  /** Uses up no number, and leaves the batch that is applied or tried as it is. @throws Refusal core_instance_deleted */
  async #answer({ coreInstanceID }: BatchCall['instance']): Promise<Applied> {
    const { database, clock } = this.#options;
    const newest = await store.noteContact(database.write, coreInstanceID, clock());
    if (newest === undefined) throw new Refusal('core_instance_deleted');
    return answerOf(newest, true);
  }

  /** @throws Refusal core_instance_deleted, overloaded */
  async #claim({ instance, batch }: BatchCall): Promise<Turn> {
    const { database, clock } = this.#options;
    const { sequence, id, status } = batch;
    const { coreInstanceID } = instance;
    const claim = { coreInstanceID, holder: this.#holder };
    const now = clock();
    const offset = status.sentAt - now;
    const claimed = await store.claimBatches(
      database.write,
      database.engine,
      claim,
      { sequence, id, offset },
      now,
    );
    if (claimed !== undefined) return { claim, claimed, now, offset };
    const isThere = await store.isThere(database.write, coreInstanceID);
    throw isThere
      ? new Refusal('overloaded', { retryAfterSeconds: 2 })
      : new Refusal('core_instance_deleted');
  }

  /** @throws Refusal invalid_body */
  #checkGap(sequence: number, { claim: { coreInstanceID }, claimed }: Turn): void {
    const { sequence: newest, attempts } = claimed;
    if (sequence - newest > store.maxGap) {
      throw invalidBody([
        { path: '/sequence', message: `must be at most ${store.maxGap} above the newest, ${newest}` },
      ]);
    }
    const expected = newest + 1;
    if (newest > 0 && sequence > expected && attempts === 1)
      this.#options.onGap({ coreInstanceID, expected, sequence });
  }
}

/** What the newest batch is, and what is received of the one after it. */
function answerOf(newest: store.NewestBatch, withOutcome: boolean): Applied {
  const { sequence, batch_id: batchID, applied_sequence, applied_items, attempt_id, last_result } = newest;
  const pendingID = applied_sequence > sequence ? attempt_id : null;
  // Once items of the batch after it are applied, the outcome is of those. Then it was answered long ago.
  return {
    sequence,
    batchID,
    pendingID,
    ...readOutcome(withOutcome && applied_items === 0 ? last_result : null),
  };
}

/** Neither a batch nor a ping, which have an id. */
function isQuestion({ id, items }: BatchCall['batch']): boolean {
  return id === null && items.length === 0;
}

/** Whether the newest number is of another batch. Without an id, the number alone counts. */
function isOther(newest: string | null, given: string | null): boolean {
  if (newest === store.noBatch) return true;
  return newest !== null && given !== null && newest !== given;
}
