import type { ReactNode } from 'react';

/** One column of a table. */
export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** True: only screen readers are told the header, such as that of a menu. */
  readonly isHeaderHidden?: boolean;
  /** A track of a CSS grid, such as `minmax(12rem, 3fr)` or `7rem`. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  /** The order in which the list comes when somebody clicks on the header. Absent: it does nothing. */
  readonly sort?: string;
  /** Numbers stand at the end, so that their digits are aligned. */
  readonly align?: 'end';
  /** Left out where the table is narrower: `sm` below 480 px, `md` below 700 px, `lg` below 960 px. */
  readonly hideBelow?: 'sm' | 'md' | 'lg';
  /** Only where the table is narrower than that. */
  readonly onlyBelow?: 'sm' | 'md' | 'lg';
}
