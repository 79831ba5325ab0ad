import { toTimestamp } from '../../../foundation/clock.ts';

/** Until when further errors of a group are stored as dismissed, and why. */
export interface GroupMute {
  /** Milliseconds; the mute does not include this time. */
  readonly until: number;
  readonly reason: string;
}

export function isMutedAt(mute: GroupMute | undefined, milliseconds: number): mute is GroupMute {
  return mute !== undefined && milliseconds < mute.until;
}

/** The dismissal reason of an error that a mute dismisses. */
export function dismissReasonOf({ until, reason }: GroupMute): string {
  return `muted until ${toTimestamp(until)}: ${reason}`;
}
