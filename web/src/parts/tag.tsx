import type { ReactNode } from 'react';
import classes from './tag.module.css';

interface TagProps {
  readonly tone: 'accent' | 'warning' | 'quiet' | 'good' | 'bad';
  readonly children: ReactNode;
}

/** A word about a thing, beside its name. */
export function Tag({ tone, children }: TagProps) {
  return (
    <span className={classes.tag} data-tone={tone}>
      {children}
    </span>
  );
}
