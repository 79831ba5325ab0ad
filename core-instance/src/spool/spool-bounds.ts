import { maxItemAgeDays } from '@muster/contract';

const mebibyte = 1024 * 1024;

export interface SpoolBounds {
  /** From this size on, new errors are refused. */
  readonly maxBytes: number;
  /** Further room that registrations and updates alone may take. */
  readonly maxFurtherStateBytes: number;
  /** Of the registrations, updates and ends of one agent that wait. */
  readonly maxStateBytesPerAgent: number;
  /** Errors that waited for longer are dropped: the centre would not believe their times. */
  readonly maxAgeMilliseconds: number;
  readonly segmentBytes: number;
  /** Of what waits in memory for the disk. */
  readonly maxPendingBytes: number;
  /** From this size on, equal errors of complete segments are folded. */
  readonly foldFromBytes: number;
  /** Repeats of errors that are safe on the disk are synced within this time: what a power cut may take of their counts. */
  readonly syncRepeatsMilliseconds: number;
  /** After a failed write, the next one is tried after this time. */
  readonly pauseAfterFailureMilliseconds: number;
}

export const defaultSpoolBounds: SpoolBounds = {
  maxBytes: 1024 * mebibyte,
  maxFurtherStateBytes: 128 * mebibyte,
  maxStateBytesPerAgent: 32 * mebibyte,
  maxAgeMilliseconds: maxItemAgeDays * 86_400_000,
  segmentBytes: 8 * mebibyte,
  maxPendingBytes: 32 * mebibyte,
  foldFromBytes: 32 * mebibyte,
  syncRepeatsMilliseconds: 500,
  pauseAfterFailureMilliseconds: 1_000,
};
