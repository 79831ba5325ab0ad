import { maxErrorLength } from '@muster/contract';

/** Limits on new errors; 0 means none. */
export interface NewErrorLimits {
  readonly openPerAgent: number;
  readonly newPerAgentPerMinute: number;
  readonly newPerProjectPerSecond: number;
}

/** The text as it is kept where the sender asks for cutting: at most 1024 code points, the last one `…`. */
export function truncateErrorText(text: string): string {
  // A text has at most as many code points as UTF-16 units, so that a short one needs no counting.
  if (text.length <= maxErrorLength) return text;
  let end = 0;
  let units = 0;
  let unitsOfKept = 0;
  for (const character of text) {
    if (end === maxErrorLength - 1) unitsOfKept = units;
    end += 1;
    units += character.length;
    if (end > maxErrorLength) return `${text.slice(0, unitsOfKept)}…`;
  }
  return text;
}
