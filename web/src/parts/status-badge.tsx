import type { ReactNode } from 'react';
import classes from './status-badge.module.css';

export type StatusTone = 'good' | 'bad' | 'warning' | 'quiet' | 'unknown' | 'accent';

/** A state in a word, with a mark in a colour that says the same. */
export function StatusBadge({ tone, text }: { readonly tone: StatusTone; readonly text: ReactNode }) {
  return (
    <span className={classes.badge} data-tone={tone}>
      {text}
    </span>
  );
}
