import { useSyncExternalStore } from 'react';
import { formatExact, formatRelative } from './format-time.ts';
import { useNow } from './now.tsx';

/** How long ago something was, or how soon it is; the exact time on hover. */
export function RelativeTime({ at }: { readonly at: string }) {
  const now = useNow();
  const time = useSyncExternalStore(now.subscribe, now.get);
  return (
    <time dateTime={at} title={formatExact(at)} className="number">
      {formatRelative(Date.parse(at), time)}
    </time>
  );
}
