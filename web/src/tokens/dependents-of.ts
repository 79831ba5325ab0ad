import type { Token } from '@muster/client';

/** The tokens that end with another one: those that depend on it, and those that depend on these. */
export function dependentsOf<Row extends Pick<Token, 'id' | 'parentID'>>(
  tokens: readonly Row[],
  tokenID: string,
): Row[] {
  const found = new Set([tokenID]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { id, parentID } of tokens) if (parentID !== null && found.has(parentID)) found.add(id);
  }
  return tokens.filter(({ id }) => id !== tokenID && found.has(id));
}
