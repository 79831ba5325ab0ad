import type { Principal } from './principal.ts';

/**
 * The credential with which a request was admitted. On a shared database, a provisional admission is based on what this replica remembers: the
 * statement that does the work compares `generation`, and calls `renew` if it has changed.
 */
export interface Admission {
  readonly principal: Principal;
  readonly generation: number;
  /** Reads the credential from the database again. @throws Refusal if it no longer admits the request */
  renew(): Promise<Admission>;
}
