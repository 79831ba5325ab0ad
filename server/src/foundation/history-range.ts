import { type HistoryBucket, maxHistoryBuckets } from '@muster/contract';
import { Refusal } from './refusal.ts';

export interface HistoryQuery {
  readonly bucket: HistoryBucket;
  /** Milliseconds. */
  readonly since: number | undefined;
  /** Milliseconds, exclusive. */
  readonly until: number | undefined;
}

export interface HistoryRange {
  readonly bucket: HistoryBucket;
  /** Milliseconds, the start of the first bucket. */
  readonly since: number;
  /** Milliseconds, exclusive. */
  readonly until: number;
}

export const bucketMilliseconds: Readonly<Record<HistoryBucket, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The length of a history in buckets if `since` is absent. */
const usualBuckets: Readonly<Record<HistoryBucket, number>> = { minute: 60, hour: 24, day: 30 };

/** @throws Refusal invalid_query_parameter if there would be no bucket or too many */
export function readHistoryRange({ bucket, ...query }: HistoryQuery, now: number): HistoryRange {
  const length = bucketMilliseconds[bucket];
  // The history includes what happened in this millisecond.
  const until = query.until ?? now + 1;
  const since = Math.floor((query.since ?? until - usualBuckets[bucket] * length) / length) * length;
  if (since >= until) throw invalidSince('must be before `until`');
  const count = Math.ceil((until - since) / length);
  if (count > maxHistoryBuckets) {
    throw invalidSince(
      `gives ${count} buckets, but a history has at most ${maxHistoryBuckets}: choose a later time or a longer \`bucket\``,
    );
  }
  return { bucket, since, until };
}

/** The starts of the buckets, in milliseconds, oldest first. */
export function bucketStarts({ bucket, since, until }: HistoryRange): number[] {
  const length = bucketMilliseconds[bucket];
  return Array.from({ length: Math.ceil((until - since) / length) }, (_, index) => since + index * length);
}

function invalidSince(message: string): Refusal {
  return new Refusal('invalid_query_parameter', {
    detail: `\`since\` ${message}.`,
    fields: [{ path: 'since', message }],
  });
}
