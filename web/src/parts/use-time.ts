import { useSyncExternalStore } from 'react';
import { useNow } from './now.tsx';

/** The present, in milliseconds. It moves on while somebody looks. */
export function useTime(): number {
  const now = useNow();
  return useSyncExternalStore(now.subscribe, now.get);
}
