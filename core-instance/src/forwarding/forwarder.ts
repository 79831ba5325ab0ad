import {
  type CoreInstanceBatch,
  type CoreInstanceBatchResult,
  type CoreInstanceItem,
  coreInstanceProtocol,
} from '@muster/contract';
import type { Polls } from '../fleets/polls.ts';
import type { RegistrationProofs } from '../listening/registration-proofs.ts';
import type { SignOfLife, SignsOfLife } from '../listening/signs-of-life.ts';
import type { SiteLog } from '../site-log.ts';
import type { Portion, Position, Spool } from '../spool/spool.ts';
import type { ProgressFile } from '../state/progress-file.ts';
import type { SiteAgents } from '../state/site-agents.ts';
import { codeOf } from '../state/state-error.ts';
import type { EndedAgents } from '../verdicts/ended-agents.ts';
import { Backoff } from './backoff.ts';
import { toBatchItems, toSignItem, weightOfRefused } from './batch-items.ts';
import { CentreFailure, explainFailure, isCutOff } from './centre-failure.ts';

export interface ForwardingLimits {
  /** How long reports are collected while there is little to send. */
  readonly flushMilliseconds: number;
  /** So that many sites that come back together leave the centre room for others. */
  readonly itemsPerSecond: number;
  readonly itemsPerBatch: number;
  readonly bytesPerBatch: number;
  /** Until a core instance that was deleted asks again. */
  readonly deletedPauseMilliseconds: number;
}

export const defaultForwardingLimits: ForwardingLimits = {
  flushMilliseconds: 1_000,
  itemsPerSecond: 2_000,
  itemsPerBatch: 500,
  bytesPerBatch: 1024 * 1024,
  deletedPauseMilliseconds: 60 * 60 * 1_000,
};

interface ForwarderOptions {
  readonly send: (batch: CoreInstanceBatch) => Promise<CoreInstanceBatchResult>;
  readonly spool: Spool;
  readonly progress: ProgressFile;
  readonly signs: SignsOfLife;
  readonly polls: Polls;
  readonly proofs: RegistrationProofs;
  readonly agents: SiteAgents;
  readonly ended: Pick<EndedAgents, 'forget' | 'note'>;
  readonly log: SiteLog;
  readonly clock: () => number;
  /** Never steps back. */
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly newID: () => string;
  readonly limits: ForwardingLimits;
  readonly describe: () => Pick<CoreInstanceBatch['status'], 'version' | 'startedAt'>;
  /** Called with the place where the list of credentials is at the centre. */
  readonly onCursor: (cursor: string) => void;
  /** Called with a number that grows with every change of what fleets serve; undefined: the centre has no such number. */
  readonly onFleetGeneration: (generation: number | undefined) => void;
  readonly credential: {
    /** The centre has accepted it. */
    confirm(): Promise<void>;
    /** The centre wants another one. */
    rotate(): Promise<void>;
    /** The centre does not accept it. Gets another one, if that is possible. */
    renew(): Promise<void>;
  };
}

/** A batch that may have arrived: it is sent until the centre says so, always with the same items. */
interface SentBatch {
  readonly portion: Portion;
  readonly attempt: number;
  /** True if an attempt has ended so that the centre may have it. */
  readonly mayBeStored: boolean;
  /** Attempts that ended without an answer, although the centre answered something small right after. */
  readonly vain: number;
}

const defaultPingMilliseconds = 30_000;
const tooOldPauseMilliseconds = 5 * 60 * 1_000;
/** After a rotation that failed. */
const rotationPauseMilliseconds = 10_000;
const maxToldRefusals = 5;
/** By which part of the usual size batches get larger again. */
const growth = 0.02;
/** Attempts that may be of a line that was cut for a moment. */
const maxVain = 2;
/** The part of a batch that is kept for signs of life, without which agents would count as offline while a long spool is sent. */
const shareOfSigns = 0.1;
/** The same for polls, without which nobody would know what runs behind a site of many agents. */
const shareOfPolls = 0.1;

/** A batch is never skipped for another refusal: that of an older centre, or of a permission, would lose everything. */
const faultsOfItems: readonly (string | undefined)[] = ['invalid_body', 'invalid_json', 'body_too_large'];

/** Sends what waits in the spool to the centre, in its order, so that each item arrives exactly once. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #backoff: Backoff;
  readonly #faultBackoff: Backoff;
  #sent: SentBatch | undefined;
  #itemsPerBatch: number;
  #nextPingAt = Number.NEGATIVE_INFINITY;
  /** Why the centre takes nothing. */
  #told: string | undefined;
  /** Why nothing can be sent. */
  #toldFault: unknown;
  #lastContactAt: number | null = null;
  #isDeleted = false;
  #nextRotationAt = Number.NEGATIVE_INFINITY;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.random);
    this.#faultBackoff = new Backoff(options.random);
    this.#itemsPerBatch = options.limits.itemsPerBatch;
  }

  get isCentreReached(): boolean {
    return this.#lastContactAt !== null && this.#told === undefined;
  }

  /** True if the centre takes nothing from this core instance any more. */
  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  get lastContactAt(): number | null {
    return this.#lastContactAt;
  }

  /** Sends at most one batch. Resolves with the time to wait before the next step, in milliseconds. */
  async step(): Promise<number> {
    try {
      return await this.#sendNext();
    } catch (error) {
      if (error instanceof CentreFailure)
        return await this.#handle(error).catch((cause) => this.#pauseAfter(cause));
      return this.#pauseAfter(error);
    }
  }

  /** Nothing is sent that could not be noted before, such as on a full disk. */
  #pauseAfter(cause: unknown): number {
    const why = cause instanceof Error ? cause.message : String(cause);
    // Names of temporary files differ.
    const fault = codeOf(cause) ?? why;
    if (this.#toldFault !== fault) {
      const text = `What waits cannot be sent: ${why}. It is kept and tried again. Check the disk of the state folder.`;
      this.#options.log.error(text, { err: cause });
    }
    this.#toldFault = fault;
    return this.#faultBackoff.next();
  }

  async #sendNext(): Promise<number> {
    const { spool, signs, polls, proofs, progress, clock, monotonic, newID, limits, send } = this.#options;
    const kept = spool.end;
    const shown = this.#sent === undefined ? polls.take(limits.itemsPerBatch, clock()) : [];
    this.#sent ??= await this.#takePortion().catch((error: unknown) => {
      polls.putBack(shown);
      throw error;
    });
    const isRetry = (this.#sent?.attempt ?? 0) > 0;
    const items = this.#sent === undefined ? [] : toBatchItems(this.#sent.portion.items);
    // What agents have sent before they polled is sent before: a registration that waits must not look like one that was never sent.
    const isAll = !isRetry && !isBehind(kept, this.#sent?.portion.end ?? progress.progress.acknowledged);
    const room = Math.max(0, this.#itemsPerBatch - items.length);
    const roomOfPolls = isAll ? Math.min(shown.length, Math.ceil(room * shareOfPolls)) : 0;
    // A retry may have arrived already, and what it says for the first time would then be ignored.
    const lives = isRetry ? [] : signs.take(room - roomOfPolls);
    const told = isAll ? shown.slice(0, room - lives.length) : [];
    const isMoreWaiting = isBehind(spool.end, this.#sent?.portion.end ?? progress.progress.acknowledged);
    polls.putBack(shown.slice(told.length));
    const added = [...lives.map(toSignItem), ...told];
    const putBack = (): void => {
      signs.putBack(lives);
      polls.putBack(told);
    };
    if (this.#sent === undefined && added.length === 0 && monotonic() < this.#nextPingAt) {
      return Math.min(this.#nextPingAt - monotonic(), limits.flushMilliseconds);
    }
    const startedAt = monotonic();
    let result: CoreInstanceBatchResult;
    let sequence: number;
    try {
      if (this.#sent === undefined) {
        // A number is never used twice, unless for the same items.
        await progress.write({ sequence: progress.progress.sequence + 1, batchID: newID() });
      } else {
        this.#sent = { ...this.#sent, attempt: this.#sent.attempt + 1 };
      }
      const { batchID } = progress.progress;
      sequence = progress.progress.sequence;
      result = await send({
        protocol: coreInstanceProtocol,
        sequence,
        ...(batchID !== null && { id: batchID }),
        status: this.#status(),
        items: [...proofs.addTo(items), ...added],
      });
      if (result.sequence < sequence) throw new CentreFailure('unreachable', 'it did not store a batch');
    } catch (error) {
      putBack();
      if (this.#sent !== undefined && !isCutOff(error)) this.#sent = { ...this.#sent, mayBeStored: true };
      // Signs of life may be what makes it too large.
      if (added.length > 0 && error instanceof CentreFailure)
        this.#itemsPerBatch = Math.max(1, Math.floor((items.length + added.length) / 2));
      throw error;
    }
    this.#noteContact(result);
    if (result.sequence > sequence) {
      putBack();
      return this.#catchUp(result.sequence);
    }
    const count = this.#sent?.portion.items.length ?? 0;
    const isFull =
      count >= this.#itemsPerPortion || (!isRetry && items.length + added.length >= this.#itemsPerBatch);
    const refused = isMoreWaiting
      ? result.refused.filter(({ index }) => !this.#isEarly(lives[index - items.length]))
      : result.refused;
    await this.#acknowledge({ ...result, refused }, [...items, ...added]);
    await this.#mindCredential(result);
    this.#toldFault = undefined;
    this.#faultBackoff.succeed();
    // Slowly, since each batch that is too large again costs time. A retry has no signs of life, which may be what made it too large.
    if (!isRetry) {
      const more = Math.ceil(limits.itemsPerBatch * growth);
      this.#itemsPerBatch = Math.min(limits.itemsPerBatch, this.#itemsPerBatch + more);
    }
    if (!isFull && spool.figures.reports <= limits.itemsPerBatch) return limits.flushMilliseconds;
    return Math.max(0, ((count + added.length) / limits.itemsPerSecond) * 1_000 - (monotonic() - startedAt));
  }

  get #itemsPerPortion(): number {
    return Math.max(1, Math.floor(this.#itemsPerBatch * (1 - shareOfSigns)));
  }

  /** A sign of life overtakes the registration of its agent: as long as something waits, that the centre does not know the agent is no refusal. */
  #isEarly(sign: SignOfLife | undefined): boolean {
    const { agents } = this.#options;
    return (
      sign !== undefined && 'agentID' in sign.target && agents.isRegistered(sign.target.agentID.toLowerCase())
    );
  }

  /** What was sent before a restart is sent again first, with its number. */
  async #takePortion(): Promise<SentBatch | undefined> {
    const { spool, progress, newID, limits } = this.#options;
    const { acknowledged, sentUpTo, sequence } = progress.progress;
    if (sentUpTo !== null) {
      const portion = await spool.retake(acknowledged, sentUpTo);
      return { portion, attempt: 1, mayBeStored: true, vain: 0 };
    }
    // There is a number before that of the first items.
    if (sequence === 0) return undefined;
    const portion = await spool.take(acknowledged, {
      items: this.#itemsPerPortion,
      bytes: limits.bytesPerBatch,
    });
    if (portion.items.length > 0) {
      await progress.write({
        sequence: sequence + 1,
        batchID: newID(),
        sentUpTo: portion.end,
        ...this.#losses(),
      });
      return { portion, attempt: 0, mayBeStored: false, vain: 0 };
    }
    // Nothing but damage.
    const { segment, offset } = portion.end;
    if (segment !== acknowledged.segment || offset !== acknowledged.offset) await this.#forget(portion);
    return undefined;
  }

  async #acknowledge(
    { refused, aliases }: CoreInstanceBatchResult,
    items: readonly CoreInstanceItem[],
  ): Promise<void> {
    const { agents, ended, proofs, progress, log } = this.#options;
    let refusedCount = 0;
    const refusedItems: CoreInstanceItem[] = [];
    for (const { index, error } of refused) {
      const item = items[index];
      // A sign of life that was behind them in the first attempt, and may have been early.
      if (item === undefined) continue;
      refusedItems.push(item);
      const weight = weightOfRefused(item, error);
      refusedCount += weight;
      if ('agentID' in item && item.agentID !== undefined) ended.note(item.agentID, error.code);
      if (refusedItems.length <= maxToldRefusals) {
        log.warn(`Muster refused what an agent sent: ${error.detail}`, {
          kind: item.kind,
          code: error.code,
          count: weight,
          ...('agentID' in item ? { agentID: item.agentID } : {}),
        });
      }
    }
    const canonicalIDs = new Map<string, string>();
    for (const item of items) {
      if (item.kind !== 'registration' || refusedItems.includes(item)) continue;
      ended.forget(item.agentID);
      // Without an alias, the centre knows it by the id that it was given here.
      canonicalIDs.set(item.agentID, item.agentID);
    }
    for (const { agentID, canonicalID } of aliases) canonicalIDs.set(agentID, canonicalID);
    await agents.endTokens(
      refusedItems.flatMap((item) => (item.kind === 'registration' ? [item.tokenDigest] : [])),
    );
    await agents.addAliases([...canonicalIDs].map(([agentID, canonicalID]) => ({ agentID, canonicalID })));
    await this.#forget(this.#sent?.portion, refusedCount);
    proofs.forget(items);
    if (refusedItems.length > maxToldRefusals) {
      log.warn(
        `Muster refused ${refusedItems.length} items of one batch; the first ${maxToldRefusals} are logged.`,
        {
          refusedCount: progress.progress.refusedCount,
        },
      );
    }
  }

  /** The centre has the portion, or refused it for good. */
  async #forget(portion: Portion | undefined, refusedCount = 0): Promise<void> {
    const { spool, progress } = this.#options;
    const before = progress.progress;
    if (portion !== undefined || refusedCount > 0) {
      await progress.write({
        acknowledged: portion?.end ?? before.acknowledged,
        sentUpTo: null,
        refusedCount: before.refusedCount + refusedCount,
        ...this.#losses(),
      });
    }
    this.#sent = undefined;
    if (portion !== undefined) await spool.acknowledge(portion);
  }

  async #mindCredential({ rotateBefore }: CoreInstanceBatchResult): Promise<void> {
    const { monotonic, credential } = this.#options;
    await credential.confirm();
    if (rotateBefore === null || monotonic() < this.#nextRotationAt) return;
    this.#nextRotationAt = monotonic() + rotationPauseMilliseconds;
    await credential.rotate();
  }

  /** The state folder is older than what the centre has, so that its numbers were used before. */
  async #catchUp(sequence: number): Promise<number> {
    const { progress, log } = this.#options;
    log.warn(
      'Muster has newer batches of this core instance than its state folder knows: the folder was restored, or another process uses its credential. What waits is sent with new numbers.',
      { sequence },
    );
    await progress.write({ sequence: sequence + (this.#sent === undefined ? 0 : 1) });
    return 0;
  }

  async #handle(failure: CentreFailure): Promise<number> {
    const { kind, message, retryAfterSeconds } = failure;
    this.#tell(failure);
    // The pause is the same with another credential, because the centre may refuse that one too.
    if (kind === 'unauthorized') await this.#options.credential.renew();
    // Until the centre takes something again: that it cannot be reached says nothing.
    if (kind === 'deleted') {
      this.#isDeleted = true;
      return this.#options.limits.deletedPauseMilliseconds;
    }
    if (kind === 'too_old') return tooOldPauseMilliseconds;
    if (this.#sent !== undefined && isFaultOfItems(failure))
      return await this.#sendLess(this.#sent.portion, message);
    const isCut = isCutOff(failure) || kind === 'unreachable';
    const settled = this.#sent !== undefined && isCut ? await this.#settle(this.#sent, message) : undefined;
    return settled ?? this.#backoff.next(retryAfterSeconds);
  }

  /**
   * It did not arrive whole, because it is too large for a proxy or takes too long on the line, which may show as a broken connection: it is sent in parts.
   * It is Muster that decides what is dropped: a single item is sent again. Whether an earlier attempt has arrived is asked for, since with other numbers its
   * items would count twice, and asked again after one more, because what arrived may not have had its turn. Undefined: it is sent again as it was.
   */
  async #settle(sent: SentBatch, why: string): Promise<number | undefined> {
    const { portion, mayBeStored, attempt, vain } = sent;
    if (portion.items.length < 2) return undefined;
    if (!mayBeStored) return await this.#sendLess(portion, why);
    if (attempt < 2) return undefined;
    const { sequence, batchID } = this.#options.progress.progress;
    // Without items and without an id, it is a question. Its number is one that the centre has had long ago.
    const question = { protocol: coreInstanceProtocol, sequence: 1, status: this.#status(), items: [] };
    const answer = await this.#options.send(question).catch(() => undefined);
    if (answer === undefined) return undefined;
    if (answer.sequence >= sequence) {
      this.#noteContact(answer);
      // What has the number may be another batch: the state folder was restored.
      const isOther = batchID !== null && answer.batchID !== undefined && answer.batchID !== batchID;
      if (answer.sequence > sequence || isOther) return await this.#catchUp(answer.sequence);
      await this.#acknowledge(answer, toBatchItems(portion.items));
      return 0;
    }
    this.#sent = { ...sent, vain: vain + 1 };
    const isThere = batchID !== null && answer.pendingID === batchID;
    return !isThere && vain + 1 >= maxVain ? await this.#sendLess(portion, why) : undefined;
  }

  /** Nothing of a batch that is refused as a whole was stored: its items are sent in smaller ones, with new numbers. */
  async #sendLess(portion: Portion, why: string): Promise<number> {
    const { progress, log } = this.#options;
    const [item] = portion.items;
    if (portion.items.length > 1 || item === undefined) {
      this.#itemsPerBatch = Math.max(1, Math.floor(portion.items.length / 2));
      this.#sent = undefined;
      await progress.write({ sentUpTo: null });
      return 0;
    }
    log.error(`Muster refused what an agent sent, and it is dropped: ${why}`, { kind: item.kind });
    await this.#forget(portion, item.kind === 'error' ? item.count : 1);
    return 0;
  }

  #status(): CoreInstanceBatch['status'] {
    const { spool, clock, describe } = this.#options;
    const { reports, bytes, oldestAt, lostCount, lastLossAt } = spool.figuresBehind(this.#sent?.portion);
    return {
      ...describe(),
      spooledCount: reports,
      spooledBytes: bytes,
      oldestSpooledAt: oldestAt,
      lostCount,
      lastLossAt,
      sentAt: clock(),
    };
  }

  #losses() {
    const { lostCount, lastLossAt } = this.#options.spool.figures;
    return { lostCount, lastLossAt };
  }

  #noteContact({ nextPing, credentialsCursor, fleetGeneration }: CoreInstanceBatchResult): void {
    const { clock, monotonic, log, onCursor, onFleetGeneration } = this.#options;
    if (this.#lastContactAt === null) log.info('Muster is reached.');
    else if (this.#told !== undefined) log.info('Muster is reached again.');
    this.#told = undefined;
    this.#backoff.succeed();
    this.#lastContactAt = clock();
    this.#isDeleted = false;
    this.#nextPingAt = monotonic() + readPing(nextPing);
    onCursor(credentialsCursor);
    onFleetGeneration(fleetGeneration);
  }

  /** Once for each reason, since an outage can last for days. */
  #tell({ kind, message, status, code }: CentreFailure): void {
    const text = explainFailure(kind, message);
    if (this.#told === text) return;
    this.#told = text;
    const level = kind === 'unreachable' || kind === 'busy' ? 'warn' : 'error';
    this.#options.log[level](text, { status, code });
  }
}

function isBehind(one: Position, other: Position): boolean {
  return one.segment > other.segment || (one.segment === other.segment && one.offset > other.offset);
}

/** With smaller batches, a number or a status that the centre does not accept stays as it is. */
function isFaultOfItems({ code, paths }: CentreFailure): boolean {
  return (
    faultsOfItems.includes(code) && (paths.length === 0 || paths.some((path) => path.startsWith('/items')))
  );
}

/** `30s`, as the centre writes it. */
function readPing(text: string): number {
  const seconds = /^(\d{1,5})s$/.exec(text)?.[1];
  return seconds === undefined ? defaultPingMilliseconds : Number(seconds) * 1_000;
}
