import type { Migration } from 'kysely';
import { createInitialTables } from './0001-initial.ts';
import type { Engine } from './column-types.ts';

export type Migrations = Readonly<Record<string, Migration>>;

const steps = {
  '0001-initial': createInitialTables,
};

/** The names of all migrations of this version, in order. */
export const migrationNames: readonly string[] = Object.keys(steps);

export function migrationsOf(engine: Engine): Migrations {
  return Object.fromEntries(
    Object.entries(steps).map(([name, run]) => [name, { up: (db) => run(db, engine) }]),
  );
}
