import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Somebody has asked for the dialog that the screen has for those who come for it. */
    readonly opens?: ArrivalDialog;
    /** Another one each time: the router does not go where it is already. */
    readonly askedAt?: number;
  }
}

export type ArrivalDialog = 'create' | 'dismiss' | 'mute' | 'rotate';

/** Opens a dialog of a screen, if somebody has come for that. Each arrival opens it once, also one on the same screen. */
export function useArrival(dialog: ArrivalDialog, open: () => void): void {
  const { key, opens } = useRouterState({
    select: ({ location: { state } }) => ({ key: state.__TSR_key, opens: state.opens }),
    structuralSharing: true,
  });
  const handled = useRef<string>(undefined);
  useEffect(() => {
    if (opens !== dialog || handled.current === key) return;
    handled.current = key;
    open();
  }, [opens, dialog, key, open]);
}
