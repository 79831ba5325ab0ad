import type { ReactNode } from 'react';

/** One column of a table. */
export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** A track of a CSS grid, such as `minmax(12rem, 3fr)` or `7rem`. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the end, so that their digits are aligned. */
  readonly align?: 'end';
  /** Left out on narrower screens: `sm` below 640 px, `md` below 900 px, `lg` below 1200 px. */
  readonly hideBelow?: 'sm' | 'md' | 'lg';
}
