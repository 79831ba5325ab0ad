// biome-ignore-all lint/a11y/useSemanticElements: only the rows on the screen exist, which a table element cannot do
import { memo, type ReactNode, type RefObject } from 'react';
import type { ShownRow } from '../live/merge-rows.ts';
import { partsTexts } from '../texts/parts.ts';
import type { Column } from './column.ts';
import classes from './data-table.module.css';
import { opensRow } from './opens-row.ts';

/** What a row can do. */
export interface RowActions<Row> {
  readonly nameOf: (row: Row) => string;
  readonly onFocus: (index: number) => void;
  readonly onOpen: ((row: Row) => void) | undefined;
  readonly onToggle: (row: Row) => void;
}

interface TableRowProps<Row> {
  readonly shown: ShownRow<Row>;
  readonly index: number;
  /** Pixels below the head. */
  readonly place: number;
  readonly columns: readonly Column<Row>[];
  /** Stands across all columns. */
  readonly span: ReactNode;
  readonly grid: { readonly gridTemplateColumns: string };
  readonly rowHeight: number;
  readonly isActive: boolean;
  /** Undefined: rows cannot be chosen. */
  readonly isSelected: boolean | undefined;
  readonly canOpen: boolean;
  readonly actions: RefObject<RowActions<Row> | undefined>;
}

function Row<Data>({ shown: { row, isGone }, index, place, ...props }: TableRowProps<Data>) {
  const { columns, span, grid, rowHeight, isActive, isSelected, canOpen, actions } = props;
  return (
    <div
      role="row"
      tabIndex={isActive ? 0 : -1}
      aria-rowindex={index + 2}
      data-row={index}
      data-gone={isGone || undefined}
      data-selected={isSelected || undefined}
      data-opens={canOpen || undefined}
      data-spans={span !== undefined || undefined}
      className={`${classes.row} ${classes.shown}`}
      style={{ ...grid, height: rowHeight, transform: `translateY(${place}px)` }}
      onFocus={() => actions.current?.onFocus(index)}
      onClick={(event) => {
        if (canOpen && opensRow(event)) actions.current?.onOpen?.(row);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) actions.current?.onOpen?.(row);
      }}
    >
      {span !== undefined && (
        <div
          role="cell"
          aria-colspan={columns.length + (isSelected === undefined ? 0 : 1)}
          className={classes.span}
        >
          {span}
        </div>
      )}
      {span === undefined && isSelected !== undefined && (
        <div role="cell" className={classes.cell} data-chooses="">
          <input
            type="checkbox"
            className={classes.check}
            aria-label={partsTexts.selectRow(actions.current?.nameOf(row) ?? '')}
            checked={isSelected}
            onChange={() => actions.current?.onToggle(row)}
          />
        </div>
      )}
      {(span === undefined ? columns : []).map((column) => (
        <div key={column.id} role="cell" className={classes.cell} data-align={column.align}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}

/** One row of a table. It renders again only if it has changed: scrolling renders the new rows alone. */
export const TableRow = memo(Row) as typeof Row; // `memo` loses the type parameter
