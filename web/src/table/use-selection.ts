import { useCallback, useState } from 'react';

/** The rows that somebody has chosen. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  toggle(id: string): void;
  /** Chooses these and no others. */
  set(ids: Iterable<string>): void;
  clear(): void;
}

const none: ReadonlySet<string> = new Set();

/** @param listKey identifies the list: with another one, nothing is chosen */
export function useSelection(listKey: string): Selection {
  const [chosen, setChosen] = useState({ listKey, ids: none });
  const ids = chosen.listKey === listKey ? chosen.ids : none;
  const change = useCallback(
    (next: (ids: ReadonlySet<string>) => Iterable<string>) =>
      setChosen((before) => ({
        listKey,
        ids: new Set(next(before.listKey === listKey ? before.ids : none)),
      })),
    [listKey],
  );
  return {
    ids,
    set: (next) => change(() => next),
    // Keys can come faster than renders.
    toggle: (id) =>
      change((before) => (before.has(id) ? [...before].filter((one) => one !== id) : [...before, id])),
    clear: () => change(() => []),
  };
}
