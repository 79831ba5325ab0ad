// biome-ignore-all lint/a11y/useSemanticElements: only the rows on the screen exist, which a table element cannot do
// biome-ignore-all lint/a11y/useFocusableInteractive: rows of headings do nothing
import { Button, Skeleton } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useKeys } from '../keys/use-keys.ts';
import type { ShownRow } from '../live/merge-rows.ts';
import { ErrorState } from '../parts/error-state.tsx';
import { keysTexts } from '../texts/keys.ts';
import { partsTexts } from '../texts/parts.ts';
import type { Column } from './column.ts';
import classes from './data-table.module.css';
import { NewsBar } from './news-bar.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { type RowActions, TableRow } from './table-row.tsx';
import type { Selection } from './use-selection.ts';
import { useVisibleColumns } from './use-visible-columns.ts';

interface DataTableProps<Row> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while nothing has arrived. */
  readonly rows: readonly ShownRow<Row>[] | undefined;
  readonly idOf: (row: Row) => string;
  /** Names a row for screen readers. */
  readonly nameOf: (row: Row) => string;
  /** Of every row, in pixels. */
  readonly rowHeight?: number;
  /** The same where the table is narrower than 480 px, so that its texts have more lines. Absent: `rowHeight`. */
  readonly narrowRowHeight?: number;
  readonly error?: unknown;
  readonly onRetry: () => void;
  /** Rows that have come since the list was read. */
  readonly newCount: number;
  readonly onTakeIn: () => void;
  /** Shown when there is no row. */
  readonly empty: ReactNode;
  readonly hasMore?: boolean;
  readonly isLoadingMore?: boolean;
  readonly onEnd?: () => void;
  /** Absent: rows cannot be chosen. */
  readonly selection?: Selection | undefined;
  /** What can be done with the chosen rows, in a bar that floats below them. */
  readonly bar?: ReactNode;
  /** What the chosen rows concern, such as `1,172 agents`. Absent: nothing else than themselves, or it is not known yet. */
  readonly concerned?: string | undefined;
  /** What stands across all columns of a row, such as the heading of the rows below it. Such a row cannot be chosen. */
  readonly spanOf?: (row: Row) => ReactNode;
  /** What Enter does on a row, and a click anywhere on it. */
  readonly onOpen?: (row: Row) => void;
  /** The order of the list, as columns name it. */
  readonly sort?: string;
  /** Absent: the order cannot be changed. */
  readonly onSort?: (sort: string) => void;
  /** Called with the ids of the rows on the screen, and a few around them, whenever these are others. */
  readonly onShown?: (ids: readonly string[]) => void;
}

const skeletonRows = 8;
const overscan = 12;
/** Of a row with a text across all columns. */
const spanHeight = 40;

/** A table of any length, of which only the rows on the screen exist. `j` and `k` move, `x` selects, Enter and a click open. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    label,
    rows,
    idOf,
    error,
    onRetry,
    empty,
    hasMore = false,
    onEnd,
    selection,
    onOpen,
    onShown,
    bar,
    concerned,
    spanOf,
  } = props;
  const { frame, visible: columns, isNarrow } = useVisibleColumns(props.columns);
  const { rowHeight: wideRowHeight = 44, narrowRowHeight = wideRowHeight } = props;
  const rowHeight = isNarrow ? narrowRowHeight : wideRowHeight;
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [active, setActive] = useState(-1);
  // Keys can come faster than renders.
  const activeNow = useRef(-1);
  const activate = (index: number) => {
    activeNow.current = index;
    setActive(index);
  };
  const count = rows?.length ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is above the table changes its place with any render that these cause
  useLayoutEffect(() => setTop(distanceFromTop(body.current)), [count, error]);
  const heightOf = (index: number) => {
    const shown = spanOf === undefined ? undefined : rows?.[index];
    return shown === undefined || spanOf?.(shown.row) === undefined
      ? rowHeight
      : Math.min(rowHeight, spanHeight);
  };
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: (index) => heightOf(index),
    overscan,
    scrollMargin: top,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it keeps the sizes that it has measured with the height before
  useLayoutEffect(
    () => virtualizer.measure(),
    [virtualizer, rowHeight, spanOf === undefined ? undefined : rows],
  );
  const items = virtualizer.getVirtualItems();
  const firstShown = items[0]?.index ?? -1;
  const lastShown = items.at(-1)?.index ?? -1;
  useEffect(() => {
    onShown?.((rows ?? []).slice(Math.max(0, firstShown), lastShown + 1).map(({ row }) => idOf(row)));
  }, [onShown, rows, firstShown, lastShown, idOf]);
  useEffect(() => {
    if (hasMore && count > 0 && lastShown >= count - overscan) onEnd?.();
  }, [hasMore, count, lastShown, onEnd]);

  const move = (step: number) => {
    if (count === 0) return;
    const next = Math.max(0, Math.min(count - 1, activeNow.current + step));
    activate(next);
    virtualizer.scrollToIndex(next, { align: 'auto' });
    // At once, because the next key may come before the next frame, and Enter opens the row with the focus.
    if (focusActive()) return;
    // The row does not exist before it is scrolled to. Until then the next key may have moved on, and the focus must not go back.
    requestAnimationFrame(focusActive);
  };
  const focusActive = (): boolean => {
    const row = body.current?.querySelector<HTMLElement>(`[data-row="${activeNow.current}"]`);
    row?.focus();
    return row instanceof HTMLElement;
  };
  const toggle = (row: Row) => {
    if (spanOf?.(row) === undefined) selection?.toggle(idOf(row));
  };
  const atActive = (run: (row: Row) => void) => () => {
    const shown = rows?.[activeNow.current];
    if (shown !== undefined) run(shown.row);
  };
  useKeys([
    { key: 'j', text: keysTexts.next, run: () => move(1) },
    { key: 'k', text: keysTexts.previous, run: () => move(-1) },
    ...(selection === undefined
      ? []
      : [{ key: 'x', text: keysTexts.select, run: atActive((row) => toggle(row)) }]),
    ...(onOpen === undefined ? [] : [{ key: 'o', text: keysTexts.open, run: atActive(onOpen) }]),
  ]);

  const tracks = [...(selection === undefined ? [] : ['2.25rem']), ...columns.map(({ width }) => width)].join(
    ' ',
  );
  const grid = useMemo(() => ({ gridTemplateColumns: tracks }), [tracks]);
  // What never changes does not make rows render again.
  const actions = useRef<RowActions<Row>>(undefined);
  actions.current = {
    nameOf: props.nameOf,
    onFocus: activate,
    onOpen,
    onToggle: toggle,
  };
  if (error && rows === undefined) return <ErrorState error={error} onRetry={onRetry} />;
  const news = <NewsBar newCount={props.newCount} onTakeIn={props.onTakeIn} isFloating />;
  if (rows !== undefined && count === 0)
    return (
      <>
        {news}
        {empty}
      </>
    );
  const table = (
    <div className={classes.frame} ref={frame}>
      <div className={classes.floating}>{news}</div>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : count + 1}
        aria-busy={rows === undefined}
      >
        <div role="rowgroup" className={classes.head}>
          <div role="row" aria-rowindex={1} className={classes.row} style={grid}>
            {selection !== undefined && (
              <div role="columnheader" className={classes.cell}>
                <SelectAll selection={selection} rows={choosable(rows ?? [], spanOf)} idOf={idOf} />
              </div>
            )}
            {columns.map((column) => (
              <ColumnHeader key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          ref={body}
          className={classes.body}
          style={{ height: rows === undefined ? rowHeight * skeletonRows : virtualizer.getTotalSize() }}
        >
          {rows === undefined && <SkeletonRows columns={columns} rowHeight={rowHeight} grid={grid} />}
          {items.map(({ index, start }) => {
            const shown = shownAt(rows, index);
            const id = idOf(shown.row);
            return (
              <TableRow
                key={id}
                shown={shown}
                index={index}
                place={start - top}
                columns={columns}
                span={spanOf?.(shown.row)}
                grid={grid}
                rowHeight={heightOf(index)}
                isActive={index === active}
                isSelected={selection?.ids.has(id)}
                canOpen={onOpen !== undefined}
                actions={actions}
              />
            );
          })}
        </div>
      </div>
      {hasMore && (
        <div className={classes.more}>
          <Button variant="subtle" size="compact-sm" loading={props.isLoadingMore ?? false} onClick={onEnd}>
            {partsTexts.loadingMore}
          </Button>
        </div>
      )}
    </div>
  );
  return (
    <>
      {table}
      {bar !== undefined && selection !== undefined && selection.ids.size > 0 && (
        <SelectionBar count={selection.ids.size} concerned={concerned} onClear={selection.clear}>
          {bar}
        </SelectionBar>
      )}
    </>
  );
}

function choosable<Row>(
  rows: readonly ShownRow<Row>[],
  spanOf: ((row: Row) => ReactNode) | undefined,
): readonly ShownRow<Row>[] {
  return spanOf === undefined ? rows : rows.filter(({ row }) => spanOf(row) === undefined);
}

interface ColumnHeaderProps<Row> {
  readonly column: Column<Row>;
  readonly sort: string | undefined;
  readonly onSort: ((sort: string) => void) | undefined;
}

function ColumnHeader<Row>({ column, sort: sorted, onSort }: ColumnHeaderProps<Row>) {
  const { header, align, isHeaderHidden, sort } = column;
  const isSorted = sort !== undefined && sort === sorted;
  return (
    <div
      role="columnheader"
      className={classes.cell}
      data-align={align}
      aria-sort={isSorted ? 'descending' : undefined}
    >
      {isHeaderHidden ? (
        <span className="visually-hidden">{header}</span>
      ) : sort === undefined || onSort === undefined ? (
        header
      ) : (
        <button type="button" className={classes.sort} onClick={() => onSort(sort)}>
          {header}
          {isSorted && <span aria-hidden="true"> ↓</span>}
        </button>
      )}
    </div>
  );
}

interface SelectAllProps<Row> {
  readonly selection: Selection;
  readonly rows: readonly ShownRow<Row>[];
  readonly idOf: (row: Row) => string;
}

function SelectAll<Row>({ selection, rows, idOf }: SelectAllProps<Row>) {
  // Looked at only if there are enough, because a list may have 100,000 rows.
  const isAll =
    rows.length > 0 &&
    selection.ids.size >= rows.length &&
    rows.every(({ row }) => selection.ids.has(idOf(row)));
  return (
    <input
      type="checkbox"
      className={classes.check}
      aria-label={partsTexts.selectAll}
      checked={isAll}
      ref={(box) => {
        if (box !== null) box.indeterminate = !isAll && selection.ids.size > 0;
      }}
      disabled={rows.length === 0}
      onChange={() => selection.set(isAll ? [] : rows.map(({ row }) => idOf(row)))}
    />
  );
}

interface SkeletonRowsProps {
  readonly columns: readonly { readonly id: string }[];
  readonly rowHeight: number;
  readonly grid: { readonly gridTemplateColumns: string };
}

/** As high as the rows that will stand here, so that nothing shifts. */
function SkeletonRows({ columns, rowHeight, grid }: SkeletonRowsProps) {
  return Array.from({ length: skeletonRows }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <div key={index} className={classes.row} style={{ ...grid, height: rowHeight }} aria-hidden="true">
      {columns.map(({ id }) => (
        <div key={id} className={classes.cell}>
          <Skeleton height={10} width="70%" />
        </div>
      ))}
    </div>
  ));
}

function shownAt<Row>(rows: readonly ShownRow<Row>[] | undefined, index: number): ShownRow<Row> {
  const shown = rows?.[index];
  if (shown === undefined) throw new RangeError(`there is no row ${index}`);
  return shown;
}

function distanceFromTop(element: HTMLElement | null): number {
  return element === null ? 0 : element.getBoundingClientRect().top + window.scrollY;
}
