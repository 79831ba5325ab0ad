import { CommitGroup } from './commit-group.ts';
import { FoldedItems } from './fold-items.ts';
import { hasManyRepeats } from './has-many-repeats.ts';
import { readRecords } from './read-records.ts';
import { headerBytes } from './record-format.ts';
import { decodeItem, encodeSegment, nameOf, numberOf, openSegment, type Segment } from './segment.ts';
import { SegmentWriter } from './segment-writer.ts';
import type { SpoolBounds } from './spool-bounds.ts';
import { SpoolError } from './spool-error.ts';
import { lossOf, type SpoolEvent } from './spool-event.ts';
import type { SpoolFiles } from './spool-files.ts';
import { reportsIn, type SpooledItem, sizeOf, timeOf } from './spooled-item.ts';
import { UnsentErrors } from './unsent-errors.ts';
import { WaitingState } from './waiting-state.ts';

/** A place between two records. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

/** Items in the order in which they arrived, and what their acknowledgement takes away. */
export interface Portion {
  readonly items: readonly SpooledItem[];
  readonly end: Position;
  /** Reports of the portion by the number of their segment. */
  readonly taken: ReadonlyMap<number, number>;
}

interface PortionLimits {
  readonly items: number;
  /** A larger item is a portion of its own. */
  readonly bytes: number;
}

export interface SpoolFigures {
  readonly reports: number;
  readonly bytes: number;
  /** Null: nothing waits. */
  readonly oldestAt: number | null;
  readonly lostCount: number;
  readonly lastLossAt: number | null;
}

interface SpoolOptions {
  readonly files: SpoolFiles;
  readonly bounds: SpoolBounds;
  readonly clock: () => number;
  /** Never steps back. */
  readonly monotonic: () => number;
  readonly tell: (event: SpoolEvent) => void;
  /** What the centre has. */
  readonly acknowledged: Position;
  /** End of what was sent and may have arrived: it has to stay as it is. */
  readonly pinned?: Position | undefined;
  readonly losses?: Pick<SpoolFigures, 'lostCount' | 'lastLossAt'>;
}

export const startPosition: Position = { segment: 0, offset: 0 };

/**
 * What agents have sent and the centre does not have yet, on the disk: an ordered log of state and errors in segments. Memory holds a few numbers for
 * each segment and nothing of its items.
 */
export class Spool {
  readonly #files: SpoolFiles;
  readonly #bounds: SpoolBounds;
  readonly #clock: () => number;
  readonly #monotonic: () => number;
  readonly #tell: (event: SpoolEvent) => void;
  /** Complete ones, the oldest first. */
  #segments: Segment[] = [];
  #writer: SegmentWriter | undefined;
  #nextNumber = 1;
  #acknowledged: Position;
  /** No segment up to this one is rewritten. */
  #pinned: Position;
  /** Reports of partly acknowledged segments that the centre has. */
  readonly #gone = new Map<number, number>();
  /** No item that waits is older. */
  #oldestAt = 0;
  #lostCount: number;
  #lastLossAt: number | null;

  readonly #unsent = new UnsentErrors();
  readonly #waitingState = new WaitingState();
  #syncTimer: NodeJS.Timeout | undefined;
  #group = new CommitGroup();
  #committing: Promise<void> | undefined;
  #committingBytes = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #lastFailure: unknown;
  #isFull = false;
  #isClosed = false;
  /** Reading and rewriting take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor({ files, bounds, clock, monotonic, tell, acknowledged, pinned, losses }: SpoolOptions) {
    this.#files = files;
    this.#bounds = bounds;
    this.#clock = clock;
    this.#monotonic = monotonic;
    this.#acknowledged = acknowledged;
    this.#pinned = pinned ?? acknowledged;
    this.#lostCount = losses?.lostCount ?? 0;
    this.#lastLossAt = losses?.lastLossAt ?? null;
    this.#tell = (event) => {
      const lost = lossOf(event);
      if (lost > 0) {
        this.#lostCount += lost;
        this.#lastLossAt = clock();
      }
      tell(event);
    };
  }

  /** Finds what is there. Nothing of it can prevent the start but a disk that cannot be read. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const spool = new Spool(options);
    await spool.#find();
    return spool;
  }

  /** False from when something could not be written until something can. */
  get isWritable(): boolean {
    return this.#lastFailure === undefined;
  }

  /** Behind everything that is kept. */
  get end(): Position {
    const last = this.#all().at(-1);
    return last === undefined ? this.#acknowledged : { segment: last.number, offset: last.bytes };
  }

  get figures(): SpoolFigures {
    return this.figuresBehind(undefined);
  }

  /** What waits beside a portion that is being sent. */
  figuresBehind(portion: Portion | undefined): SpoolFigures {
    const all = this.#all();
    const countOf = (counts: Iterable<number>) => [...counts].reduce((sum, count) => sum + count, 0);
    const waiting = countOf(all.map(({ summary }) => summary.reports));
    const position = portion?.end ?? this.#acknowledged;
    const last = portion?.items.at(-1);
    const oldestAt = last === undefined ? this.#oldestAt : timeOf(last);
    const oldest = all.find((segment) => holdsMore(segment, position))?.summary.oldestAt ?? null;
    return {
      reports: waiting - countOf(this.#gone.values()) - countOf(portion?.taken.values() ?? []),
      bytes: this.#bytes(),
      oldestAt: oldest === null ? null : Math.max(oldest, oldestAt),
      lostCount: this.#lostCount,
      lastLossAt: this.#lastLossAt,
    };
  }

  /**
   * Resolves when the items are kept. Items of one call are in one group: all of them are kept, or none. They are on the disk then, unless all of the
   * group are repeats of errors that are, and that were not sent yet. Such repeats are written, and on the disk soon after.
   *
   * @throws SpoolError (as a rejection)
   */
  async append(items: readonly SpooledItem[]): Promise<void> {
    const sized = items.map((item) => ({ item, bytes: sizeOf(item) }));
    this.#requireRoom(sized);
    const group = this.#group;
    for (const { item, bytes } of sized) {
      group.add(item, bytes);
      this.#waitingState.add(item, bytes);
    }
    this.#startCommitting();
    try {
      await group.done;
    } catch (error) {
      for (const { item, bytes } of sized) this.#waitingState.add(item, -bytes);
      throw error;
    }
  }

  /**
   * The items behind a position. What was damaged is left out and told. The portion stays as it is on the disk until it is acknowledged, so that it
   * can be sent again unchanged.
   */
  take(after: Position, limits: PortionLimits): Promise<Portion> {
    return this.#takeTurn(async () => {
      // It must not arrive and then be less here. After a failure, what is left is sent as well.
      await this.#sync().catch(() => undefined);
      // From now on, a repeat of them may be what opens an error that was dismissed.
      this.#unsent.clear();
      const portion = await this.#read(after, limits);
      this.#pinned = portion.end;
      return portion;
    });
  }

  /** Exactly the items between two positions: what was sent before and may have arrived. */
  retake(after: Position, end: Position): Promise<Portion> {
    return this.#takeTurn(() => this.#read(after, unlimited, end));
  }

  /** The centre has everything up to the end of the portion, and the caller knows it durably. */
  async acknowledge({ end, taken, items }: Portion): Promise<void> {
    for (const [segment, reports] of taken) this.#gone.set(segment, (this.#gone.get(segment) ?? 0) + reports);
    this.#acknowledged = end;
    const last = items.at(-1);
    if (last !== undefined) this.#oldestAt = timeOf(last);
    for (const item of items) if (item.kind !== 'error') this.#waitingState.add(item, -sizeOf(item));
    await this.#takeTurn(() => this.#removeAcknowledged());
  }

  /** Drops what is too old, and folds equal errors of a large spool. */
  async tend(): Promise<void> {
    try {
      for (const segment of [...this.#segments]) {
        await this.#takeTurn(async () => {
          if (!this.#segments.includes(segment) || segment.number <= this.#pinned.segment) return;
          if (this.#isExpired(segment)) await this.#expire(segment);
          else if (this.#bytes() >= this.#bounds.foldFromBytes && !segment.summary.isFolded)
            await this.#fold(segment);
        });
      }
      this.#noteRoom();
    } catch (error) {
      this.#tell({ kind: 'tending_failed', error });
    }
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#syncTimer);
    await this.#committing;
    await this.#takeTurn(() => this.#finishWriter());
  }

  async #find(): Promise<void> {
    const names = await this.#files.list();
    for (const name of names) if (name.endsWith('.new')) await this.#files.remove(name);
    const numbers = names.flatMap((name) => numberOf(name) ?? []).sort((one, other) => one - other);
    this.#nextNumber = Math.max(0, this.#pinned.segment, ...numbers) + 1;
    const isGone = (number: number): boolean => number < this.#acknowledged.segment;
    for (const number of numbers.filter(isGone)) await this.#files.remove(nameOf(number));
    const kept = numbers.filter((number) => !isGone(number));
    // All at once, since each of a hundred waits for the disk several times.
    for (const opened of await Promise.all(kept.map((number) => openSegment(this.#files, number)))) {
      if (opened.kind === 'newer') this.#tell(opened);
      else this.#segments.push(opened.segment);
    }
    const { segment, offset } = this.#acknowledged;
    const partly = this.#segments.find(({ number }) => number === segment);
    if (partly !== undefined && offset > headerBytes) {
      const portion = await this.#read(
        { segment, offset: 0 },
        unlimited,
        this.#acknowledged,
        () => undefined,
      );
      this.#gone.set(segment, portion.taken.get(segment) ?? 0);
      const next = await this.#read(this.#acknowledged, { items: 1, bytes: 1 }, undefined, () => undefined);
      const [oldest] = next.items;
      if (oldest !== undefined) this.#oldestAt = timeOf(oldest);
    }
    await this.#removeAcknowledged();
  }

  #all(): readonly Segment[] {
    return this.#writer === undefined ? this.#segments : [...this.#segments, this.#writer.segment];
  }

  #bytes(): number {
    return this.#all().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #requireRoom(sized: readonly { readonly item: SpooledItem; readonly bytes: number }[]): void {
    if (this.#isClosed) throw new SpoolError('closed');
    if (this.#monotonic() < this.#pausedUntil)
      throw new SpoolError('write_failed', { cause: this.#lastFailure });
    const wanted = sized.reduce((sum, { bytes }) => sum + bytes, 0);
    const pending = this.#group.bytes + this.#committingBytes;
    const { maxBytes, maxFurtherStateBytes, maxStateBytesPerAgent, maxPendingBytes } = this.#bounds;
    if (pending > 0 && pending + wanted > maxPendingBytes) throw new SpoolError('busy');
    const isState = sized.every(({ item }) => item.kind !== 'error');
    const isTooMuch = ({ item, bytes }: (typeof sized)[number]): boolean =>
      this.#waitingState.bytesOf(item) + bytes > maxStateBytesPerAgent;
    if (isState && sized.some(isTooMuch)) throw new SpoolError('agent_full');
    if (this.#bytes() + pending + wanted <= maxBytes + (isState ? maxFurtherStateBytes : 0)) return;
    if (!this.#isFull) this.#tell({ kind: 'full', bytes: this.#bytes() });
    this.#isFull = true;
    throw new SpoolError('full');
  }

  #noteRoom(): void {
    if (!this.#isFull || this.#bytes() > this.#bounds.maxBytes * 0.9) return;
    this.#isFull = false;
    this.#tell({ kind: 'has_room' });
  }

  #startCommitting(): void {
    this.#committing ??= this.#commitAll().finally(() => {
      this.#committing = undefined;
    });
  }

  /** Resolves when all that was written is on the disk. */
  async #sync(): Promise<void> {
    clearTimeout(this.#syncTimer);
    this.#syncTimer = undefined;
    if (this.#writer?.isSynced !== false && this.#committing === undefined) return;
    const group = this.#group;
    group.isSync = true;
    this.#startCommitting();
    await group.done;
  }

  #syncSoon(): void {
    this.#syncTimer ??= setTimeout(
      () => void this.#sync().catch(() => undefined),
      this.#bounds.syncRepeatsMilliseconds,
    ).unref();
  }

  async #commitAll(): Promise<void> {
    // What arrives in the same turn shares the first sync too.
    await Promise.resolve();
    while (this.#group.items.length > 0 || this.#group.isSync) {
      const group = this.#group;
      this.#group = new CommitGroup();
      this.#committingBytes = group.bytes;
      try {
        await this.#commit(group);
        group.settle();
      } catch (error) {
        this.#pausedUntil = this.#monotonic() + this.#bounds.pauseAfterFailureMilliseconds;
        this.#lastFailure = error;
        this.#tell({ kind: 'write_failed', error });
        group.settle(new SpoolError('write_failed', { cause: error }));
      }
      this.#committingBytes = 0;
    }
  }

  async #commit({ items, keys, isSync }: CommitGroup): Promise<void> {
    const [first] = items;
    const isOldest = first !== undefined && isSame(this.end, this.#acknowledged);
    if (first !== undefined) await this.#prepareWriter();
    const writer = this.#writer;
    if (writer === undefined) return;
    // Decided now, because what was written just before may be what makes it another error.
    const isSynced = isSync || !this.#unsent.holdAll(keys);
    try {
      await writer.append(items, isSynced);
    } catch (error) {
      this.#unsent.clear();
      await this.#abandonWriter(writer);
      throw error;
    }
    this.#lastFailure = undefined;
    if (isOldest) this.#oldestAt = timeOf(first);
    if (isSynced) this.#unsent.note(keys);
    else this.#syncSoon();
  }

  async #prepareWriter(): Promise<void> {
    if (this.#writer !== undefined && this.#writer.segment.bytes >= this.#bounds.segmentBytes) {
      await this.#finishWriter();
      void this.tend();
    }
    if (this.#writer !== undefined) return;
    this.#writer = await SegmentWriter.create(this.#files, this.#nextNumber);
    this.#nextNumber += 1;
  }

  async #finishWriter(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    this.#writer = undefined;
    this.#segments.push(writer.segment);
    // It is complete in memory, and on the disk it is as good without its end.
    await writer.finish().catch((error: unknown) => this.#tell({ kind: 'tending_failed', error }));
  }

  /** A failed sync is never tried again: the system may have forgotten what it could not write. */
  async #abandonWriter(writer: SegmentWriter): Promise<void> {
    await writer.abandon();
    this.#writer = undefined;
    if (writer.isEmpty) await this.#files.remove(nameOf(writer.number)).catch(() => undefined);
    else this.#segments.push(writer.segment);
  }

  async #read(
    after: Position,
    limits: PortionLimits,
    end?: Position,
    tell: (event: SpoolEvent) => void = this.#tell,
  ): Promise<Portion> {
    const items: SpooledItem[] = [];
    const taken = new Map<number, number>();
    let bytes = 0;
    let position = after;
    for (const segment of this.#all()) {
      if (segment.number < after.segment || (end !== undefined && segment.number > end.segment)) continue;
      const name = nameOf(segment.number);
      const to = end?.segment === segment.number ? Math.min(end.offset, segment.bytes) : segment.bytes;
      let offset = segment.number === after.segment ? Math.max(after.offset, headerBytes) : headerBytes;
      while (offset < to) {
        const found = await readRecords((...place) => this.#files.read(name, ...place), offset, to);
        const { stretches, bytes: damagedBytes } = found.damage;
        if (stretches > 0) tell({ kind: 'damaged', file: name, bytes: damagedBytes, records: stretches });
        for (const { recordClass, payload, next } of found.records) {
          const isTooMuch = items.length >= limits.items || bytes + payload.length > limits.bytes;
          if (isTooMuch && items.length > 0) return { items, taken, end: position };
          position = { segment: segment.number, offset: next };
          if (recordClass === 'summary') continue;
          const item = decodeItem(payload);
          items.push(item);
          bytes += payload.length;
          taken.set(segment.number, (taken.get(segment.number) ?? 0) + reportsIn(item));
        }
        offset = found.next;
      }
      position = { segment: segment.number, offset };
    }
    return { items, taken, end: position };
  }

  async #removeAcknowledged(): Promise<void> {
    for (const segment of [...this.#segments]) {
      if (holdsMore(segment, this.#acknowledged)) break;
      await this.#files.remove(nameOf(segment.number));
      this.#forget(segment);
    }
    this.#noteRoom();
  }

  #forget(segment: Segment): void {
    this.#segments = this.#segments.filter((one) => one !== segment);
    this.#gone.delete(segment.number);
  }

  #isExpired({ summary: { reports, newestAt } }: Segment): boolean {
    return reports > 0 && newestAt !== null && newestAt < this.#clock() - this.#bounds.maxAgeMilliseconds;
  }

  async #expire(segment: Segment): Promise<void> {
    const { reports, oldestAt, newestAt } = segment.summary;
    const items = await this.#itemsOf(segment);
    this.#unsent.clear();
    await this.#replace(
      segment,
      items.filter(({ kind }) => kind !== 'error'),
    );
    this.#tell({ kind: 'expired', reports, from: oldestAt ?? 0, to: newestAt ?? 0 });
  }

  async #fold(segment: Segment): Promise<void> {
    if (!(await hasManyRepeats(this.#files, segment))) {
      const left = { ...segment, summary: { ...segment.summary, isFolded: true } };
      this.#segments = this.#segments.map((one) => (one === segment ? left : one));
      return;
    }
    const folded = new FoldedItems();
    for (const item of await this.#itemsOf(segment)) folded.add(item);
    await this.#replace(segment, folded.items);
  }

  async #itemsOf({ number, bytes }: Segment): Promise<readonly SpooledItem[]> {
    const from = { segment: number, offset: 0 };
    return (await this.#read(from, unlimited, { segment: number, offset: bytes })).items;
  }

  async #replace(segment: Segment, items: readonly SpooledItem[]): Promise<void> {
    if (items.length === 0) {
      await this.#files.remove(nameOf(segment.number));
      this.#forget(segment);
      return;
    }
    const { chunks, segment: written } = encodeSegment(items);
    await this.#files.replace(nameOf(segment.number), chunks);
    this.#segments = this.#segments.map((one) =>
      one === segment ? { ...written, number: one.number } : one,
    );
  }

  #takeTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

const unlimited: PortionLimits = { items: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

function isSame(one: Position, other: Position): boolean {
  return one.segment === other.segment && one.offset === other.offset;
}

/** True if it has something behind the position. */
function holdsMore({ number, bytes }: Segment, { segment, offset }: Position): boolean {
  return bytes > headerBytes && (number > segment || (number === segment && offset < bytes));
}
