import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './overview-page.module.css';

export interface AttentionListProps {
  /** What is wrong with agents, each with their number. */
  readonly bySize: readonly { readonly size: number; readonly item: ReactNode }[];
  readonly others: readonly ReactNode[];
  /** What is said if there is nothing. */
  readonly nothing: string;
}

/** What somebody should look at: what is wrong on the most agents first. */
export function AttentionList({ bySize, others, nothing }: AttentionListProps) {
  const sorted = bySize.toSorted((one, other) => other.size - one.size).map(({ item }) => item);
  if (sorted.length + others.length > 0)
    return (
      <ul className={classes.attention}>
        {sorted}
        {others}
      </ul>
    );
  return (
    <Text size="sm" c="dimmed">
      {nothing}
    </Text>
  );
}
