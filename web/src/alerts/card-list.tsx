import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorState } from '../parts/error-state.tsx';
import classes from './card-list.module.css';

interface CardListProps<Item> {
  /** Undefined while nothing has arrived. */
  readonly items: readonly Item[] | undefined;
  readonly label: string;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly empty: ReactNode;
  /** A list item for each. */
  readonly children: (item: Item) => ReactNode;
}

/** A short list whose entries need more than a line each. */
export function CardList<Item>({ items, label, error, onRetry, empty, children }: CardListProps<Item>) {
  if (items === undefined) {
    if (error !== null) return <ErrorState error={error} onRetry={onRetry} />;
    return (
      <div className={classes.cards} aria-busy="true">
        {[0, 1, 2].map((place) => (
          <Skeleton key={place} height={96} radius="md" />
        ))}
      </div>
    );
  }
  if (items.length === 0) return empty;
  return (
    <ul className={classes.cards} aria-label={label}>
      {items.map(children)}
    </ul>
  );
}

interface CardProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

export function Card({ title, children, actions }: CardProps) {
  return (
    <li className={classes.card}>
      <div className={classes.about}>
        <div className={classes.title}>{title}</div>
        {children}
      </div>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </li>
  );
}
