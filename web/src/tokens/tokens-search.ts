import { choiceIn, textIn } from '../parts/read-search.ts';

export const tokenFilters = ['valid', 'expiring', 'expired', 'revoked', 'all'] as const;
type TokenFilter = (typeof tokenFilters)[number];

/** The filters of the list, as they stand in the address. Absent: valid tokens. */
export interface TokensSearch {
  readonly status?: TokenFilter;
  readonly q?: string;
}

export function readTokensSearch(search: Readonly<Record<string, unknown>>): TokensSearch {
  return { ...choiceIn(search, 'status', tokenFilters), ...textIn(search, 'q', 128) };
}
