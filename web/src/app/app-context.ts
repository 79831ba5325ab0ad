import type { QueryClient } from '@tanstack/react-query';
import type { SessionEnd } from '../session/session-end.ts';

/** What every route may use. */
export interface AppContext {
  readonly queries: QueryClient;
  readonly sessionEnd: SessionEnd;
}
