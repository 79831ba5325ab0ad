import { useCallback, useState } from 'react';

/** The rows that somebody has chosen. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  toggle(id: string): void;
  /** Chooses these and no others. */
  set(ids: Iterable<string>): void;
  clear(): void;
}

interface Chosen {
  readonly listKey: string;
  readonly ids: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/**
 * @param listKey identifies the list: with another one, nothing is chosen
 * @param rowIDs those that the list shows; undefined: whatever was chosen in it
 */
export function useSelection(listKey: string, rowIDs?: readonly string[]): Selection {
  const [chosen, setChosen] = useState<Chosen>({ listKey, ids: none });
  const change = useCallback(
    (next: (ids: ReadonlySet<string>) => Iterable<string>) =>
      setChosen((before) => ({ listKey, ids: new Set(next(chosenIn(before, listKey))) })),
    [listKey],
  );
  return {
    ids: chosenIn(chosen, listKey, rowIDs),
    set: (next) => change(() => next),
    // Keys can come faster than renders.
    toggle: (id) =>
      change((before) => (before.has(id) ? [...before].filter((one) => one !== id) : [...before, id])),
    clear: () => change(() => []),
  };
}

/** What was chosen in another list is not chosen in this one, and neither is what it no longer shows. */
export function chosenIn(
  { listKey, ids }: Chosen,
  shown: string,
  rowIDs?: readonly string[],
): ReadonlySet<string> {
  if (listKey !== shown || ids.size === 0) return none;
  return rowIDs === undefined ? ids : new Set(rowIDs.filter((id) => ids.has(id)));
}
