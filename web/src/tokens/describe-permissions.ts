import { tokensTexts } from '../texts/tokens.ts';
import { purposeOf } from './token-purposes.ts';

/** What a token may do, as short as a cell: the name of its preset, or its permissions. */
export function describePermissions(permissions: readonly string[]): string {
  if (permissions.length === 0) return tokensTexts.nothing;
  const purpose = purposeOf(permissions);
  return purpose === 'custom' ? permissions.join(', ') : tokensTexts.purposes[purpose];
}
