import type { ReactNode } from 'react';
import { Moment } from './moment.tsx';
import type { StatusTone } from './status-badge.tsx';
import classes from './timeline.module.css';

export interface Happening {
  readonly key: string;
  /** ISO 8601. */
  readonly at: string;
  /** What stands in the place of the time. */
  readonly when?: string;
  /** `change`: something was changed, such as a configuration. */
  readonly tone: StatusTone | 'change';
  readonly text: ReactNode;
  readonly more?: ReactNode;
}

interface TimelineProps {
  /** In any order; of those at the same time, the later one in the list happened later. */
  readonly happenings: readonly Happening[];
  readonly hasSeconds?: boolean;
  /** True: it is still to come, and what is soonest stands first. */
  readonly isAhead?: boolean;
}

/** What happened, the newest first. */
export function Timeline({ happenings, hasSeconds = false, isAhead = false }: TimelineProps) {
  const sorted = newestFirst(happenings);
  return (
    <ol className={classes.timeline} data-has-seconds={hasSeconds || undefined}>
      {(isAhead ? sorted.toReversed() : sorted).map(({ key, at, when, tone, text, more }) => (
        <li key={key} data-tone={tone}>
          {when === undefined ? <Moment at={at} hasSeconds={hasSeconds} isShort /> : <span>{when}</span>}
          <div>
            {text}
            {more !== undefined && <div className={classes.more}>{more}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}

export function newestFirst(happenings: readonly Happening[]): readonly Happening[] {
  return happenings.toReversed().sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
