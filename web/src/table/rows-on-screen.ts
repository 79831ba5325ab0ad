import { useDebouncedCallback } from '@mantine/hooks';
import type { Page } from '@muster/client';
import { useCallback, useState } from 'react';
import type { LongList } from '../service/paged-query.ts';

const pauseMilliseconds = 250;

/** Knows which rows of a long list somebody can see now, and which pages were left as they are while nobody saw them. */
export class RowsOnScreen<Row> implements LongList<Row> {
  readonly idOf: (row: Row) => string;
  readonly #old = new WeakSet<Page<Row>>();
  #ids: ReadonlySet<string> = new Set();

  constructor(idOf: (row: Row) => string) {
    this.idOf = idOf;
  }

  note(ids: readonly string[]): void {
    this.#ids = new Set(ids);
  }

  readonly isShown = (page: Page<Row>): boolean => page.items.some((row) => this.#ids.has(this.idOf(row)));

  readonly onKept = (page: Page<Row>): void => {
    this.#old.add(page);
  };

  /** True if somebody looks at rows that may have changed since they were read. */
  showsOld(pages: readonly Page<Row>[]): boolean {
    return pages.some((page) => this.#old.has(page) && this.isShown(page));
  }
}

export function useRowsOnScreen<Row>(idOf: (row: Row) => string): RowsOnScreen<Row> {
  return useState(() => new RowsOnScreen(idOf))[0];
}

interface LongListQuery<Row> {
  readonly data: { readonly pages: readonly Page<Row>[] } | undefined;
  readonly refetch: () => unknown;
}

/** For `onShown` of a table: reads again what may be old, as soon as somebody stops to look at it. */
export function useReadOnScreen<Row>(onScreen: RowsOnScreen<Row>, { data, refetch }: LongListQuery<Row>) {
  const readOld = useDebouncedCallback(() => {
    if (data !== undefined && onScreen.showsOld(data.pages)) void refetch();
  }, pauseMilliseconds);
  return useCallback(
    (ids: readonly string[]) => {
      onScreen.note(ids);
      readOld();
    },
    [onScreen, readOld],
  );
}
