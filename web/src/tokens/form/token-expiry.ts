/** For how long a new token is valid. */
export const tokenExpiries = ['never', 'day30', 'day90', 'year'] as const;
export type TokenExpiry = (typeof tokenExpiries)[number];

const days: Readonly<Record<TokenExpiry, number | undefined>> = {
  never: undefined,
  day30: 30,
  day90: 90,
  year: 365,
};

/** The time at which the token ends; null: never. @param now milliseconds */
export function expiryTime(expiry: TokenExpiry, now: number): string | null {
  const count = days[expiry];
  return count === undefined ? null : new Date(now + count * 86_400_000).toISOString();
}
