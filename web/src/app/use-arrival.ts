import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Somebody has asked for the dialog in which the screen makes something. */
    readonly creates?: boolean;
  }
}

/** Opens the dialog in which a screen makes something, if somebody has come for that. Each arrival opens it once, also one on the same screen. */
export function useArrival(open: () => void): void {
  const { key, creates } = useRouterState({
    select: ({ location: { state } }) => ({ key: state.__TSR_key, creates: state.creates }),
    structuralSharing: true,
  });
  const handled = useRef<string>(undefined);
  useEffect(() => {
    if (creates !== true || handled.current === key) return;
    handled.current = key;
    open();
  }, [creates, key, open]);
}
