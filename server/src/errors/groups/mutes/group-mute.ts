import { toTimestamp } from '../../../foundation/clock.ts';

/** Until when further errors of a group are stored as dismissed, and why. */
export interface GroupMute {
  /** Milliseconds; the mute does not include this time. */
  readonly until: number;
  readonly reason: string;
}

export function isMutedAt(mute: GroupMute | undefined, milliseconds: number): mute is GroupMute {
  return mute !== undefined && lastsAt(mute.until, milliseconds);
}

/** Whether a mute lasts at a time. @param until null: there is none */
export function lastsAt(until: number | null, milliseconds: number): boolean {
  return until !== null && milliseconds < until;
}

/** The dismissal reason of an error that a mute dismisses. */
export function dismissReasonOf({ until, reason }: GroupMute): string {
  return `muted until ${toTimestamp(until)}: ${reason}`;
}
