import { useSyncExternalStore } from 'react';
import { formatExact, formatMoment } from './format-time.ts';
import { useNow } from './now.tsx';

interface MomentProps {
  /** ISO 8601. */
  readonly at: string;
  readonly hasSeconds?: boolean;
  /** True: a date stands alone, such as in a column. */
  readonly isShort?: boolean;
}

/** A time of day, or a date: for sentences such as "since 14:02". The exact time on hover. */
export function Moment({ at, hasSeconds, isShort }: MomentProps) {
  const now = useNow();
  const time = useSyncExternalStore(now.subscribe, now.get);
  return (
    <time dateTime={at} title={formatExact(at)} className="number">
      {formatMoment(Date.parse(at), time, { hasSeconds, isShort })}
    </time>
  );
}
