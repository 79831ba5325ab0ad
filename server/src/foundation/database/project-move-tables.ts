import type { Generated } from 'kysely';

export interface ProjectMoveTables {
  project_moves: ProjectMoveTable;
}

/** A project that moves, or has moved, between this installation and another one (`moving-projects.ts`). */
interface ProjectMoveTable {
  project_id: string;
  /** `frozen`, `moved`: it leaves. `arriving`, `arrived`: it comes. */
  state: string;
  /** The run of the command that is in charge. */
  run_id: string;
  /** The address of the other installation. */
  other_url: string;
  started_at: number;
  /** When it thaws by itself, of one that is frozen. */
  frozen_until: Generated<number | null>;
  /** Of one that arrives: for secrets on their way here, and the private key, encrypted with the key of this installation. */
  public_key: Generated<string | null>;
  sealed_key: Generated<string | null>;
  key_id: Generated<string | null>;
}
