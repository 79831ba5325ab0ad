import type { Principal } from './principal.ts';

/**
 * What a request was let in by. On a shared database a provisional admission rests on what this replica
 * remembers; the statement that does the work compares `generation`, and asks again where it has moved on.
 */
export interface Admission {
  readonly principal: Principal;
  readonly generation: number;
  /** Looks at the credential afresh. @throws Refusal where it no longer lets the request in */
  renew(): Promise<Admission>;
}
