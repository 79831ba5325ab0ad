import type { ReactNode } from 'react';
import { Icon } from '../parts/icon.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import classes from './overview-page.module.css';

interface ItemProps {
  readonly tone: 'bad' | 'warning' | 'quiet';
  readonly title: ReactNode;
  readonly marks?: ReactNode;
  /** How it went, or what can be done at once. */
  readonly end?: ReactNode;
  /** True: `end` is something to do, and the row itself does not open. */
  readonly isAction?: boolean;
  readonly children: ReactNode;
}

/** One thing that somebody should look at. */
export function Item({ tone, title, marks, end, isAction = false, children }: ItemProps) {
  return (
    <li data-opens={!isAction || undefined}>
      <StatusBadge tone={tone} text="" />
      <div className={classes.item} data-is-long={end === undefined || undefined}>
        <div className={classes.itemTitle}>
          <bdi>{title}</bdi>
          {marks}
        </div>
        <p>{children}</p>
      </div>
      {end}
      {isAction || <Icon name="next" size={16} />}
    </li>
  );
}
