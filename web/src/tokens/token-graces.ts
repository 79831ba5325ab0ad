import type { RotateToken } from '@muster/contract';

/** What becomes of the earlier value of a rotated token. */
export const tokenGraces = ['day', 'hour', 'week', 'use', 'none'] as const;
export type TokenGrace = (typeof tokenGraces)[number];

export const graceBodies: Readonly<Record<TokenGrace, RotateToken>> = {
  none: { graceSeconds: 0 },
  hour: { graceSeconds: 3_600 },
  day: { graceSeconds: 86_400 },
  week: { graceSeconds: 7 * 86_400 },
  use: { retireOnUse: true },
};
