import { maxGraceSeconds, type RotateToken } from '@muster/contract';

/** What becomes of the earlier values of a token that is rotated. */
export interface Rotation {
  /** They end no later than this, in milliseconds. Null: at the first use of a later value. */
  readonly endsAt: number | null;
  readonly retiresOnUse: boolean;
}

/** Maximum number of earlier values of one token that are accepted at a time. */
export const maxEarlierValues = 10;

const hourMilliseconds = 3_600_000;

/** For how long the value of a rotation can be given again, unless it is used before. */
export const repeatableMilliseconds = hourMilliseconds;

/** For how long a key stands for its rotation. */
export const keyMilliseconds = 24 * hourMilliseconds;

/** By default, all earlier values end now. */
export function planRotation({ graceSeconds, retireOnUse }: RotateToken, now: number): Rotation {
  const retiresOnUse = retireOnUse === true;
  if (graceSeconds === undefined) return { endsAt: retiresOnUse ? null : now, retiresOnUse };
  return { endsAt: now + Math.min(graceSeconds, maxGraceSeconds) * 1_000, retiresOnUse };
}

/** The earlier of two ends; null means none. */
export function earlierEnd(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
