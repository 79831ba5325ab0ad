import type { Generated } from 'kysely';

export interface ProjectMoveTables {
  project_moves: ProjectMoveTable;
}

/** A project that moves, or has moved, between this installation and another one (`moving-projects.ts`). */
interface ProjectMoveTable {
  project_id: string;
  /** `leaving` (it is here, and works), `frozen`, `moved`: it leaves. `arriving`, `arrived`: it comes. */
  state: string;
  /** The run of the command that is in charge. */
  run_id: string;
  /** The address of the other installation. */
  other_url: string;
  /** Of one that leaves: when it was frozen last; 0: never. */
  started_at: number;
  /** When it thaws by itself, of one that is frozen. */
  frozen_until: Generated<number | null>;
  /** For secrets on their way. Of one that leaves: what the run in charge has named. */
  public_key: Generated<string | null>;
  /** Of one that arrives: the private key, encrypted with the key of this installation. */
  sealed_key: Generated<string | null>;
  key_id: Generated<string | null>;
}
