import type { ReactNode } from 'react';
import { StatusBadge } from '../parts/status-badge.tsx';
import classes from './overview-page.module.css';

interface ItemProps {
  readonly tone: 'bad' | 'warning' | 'quiet';
  readonly title: ReactNode;
  readonly marks?: ReactNode;
  readonly trend?: ReactNode;
  readonly children: ReactNode;
}

/** One thing that somebody should look at. */
export function Item({ tone, title, marks, trend, children }: ItemProps) {
  return (
    <li>
      <StatusBadge tone={tone} text="" />
      <div className={classes.item} data-is-long={trend === undefined || undefined}>
        <div className={classes.itemTitle}>
          <bdi>{title}</bdi>
          {marks}
        </div>
        <p>{children}</p>
      </div>
      {trend}
    </li>
  );
}
