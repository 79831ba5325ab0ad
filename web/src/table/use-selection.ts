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
  const set = useCallback((next: Iterable<string>) => setChosen({ listKey, ids: new Set(next) }), [listKey]);
  return {
    ids,
    set,
    toggle: (id) => set(ids.has(id) ? [...ids].filter((one) => one !== id) : [...ids, id]),
    clear: () => set([]),
  };
}
