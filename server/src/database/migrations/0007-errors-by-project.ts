import { type Kysely, sql } from 'kysely';
import type { Engine } from './column-types.ts';

/** An index as it is written behind `create [unique] index [concurrently] [if not exists]`. */
export interface ErrorIndex {
  readonly name: string;
  readonly isUnique: boolean;
  readonly definition: string;
}

/**
 * On PostgreSQL, errors are keyed by project and id, which is the order of time, so that a new error is appended to all
 * indexes but one. Each unique index contains the project, by which a distributed database could shard.
 *
 * `agent_errors_key` becomes the primary key and `agent_errors_standing` decides the ignore rule, as soon as no older
 * version uses the indexes that they replace: see remove-superseded-indexes.ts.
 */
export const errorIndexes: readonly ErrorIndex[] = [
  { name: 'agent_errors_key', isUnique: true, definition: 'agent_errors (project_id, id)' },
  {
    name: 'agent_errors_standing',
    isUnique: true,
    definition: 'agent_errors (agent_id, epoch, error_digest, project_id) where dismissed_at is null',
  },
  {
    name: 'agent_errors_dismissed',
    isUnique: false,
    definition: 'agent_errors (agent_id, id) where dismissed_at is not null',
  },
  // With a condition of its own, so that it is taken for retention alone. Vacuumed while no error was dismissed, it counts
  // as empty: reading all of it would look cheaper than a look-up in the index above.
  {
    name: 'agent_errors_expiring',
    isUnique: false,
    definition: 'agent_errors (dismissed_at) where dismissed_at > 0',
  },
];

/** Finds the indexes there on a database that holds errors: `buildIndexes` has made them ahead, without a lock. */
export async function keyErrorsByProject(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return;
  for (const { name, isUnique, definition } of errorIndexes) {
    const kind = isUnique ? 'unique index' : 'index';
    await sql`${sql.raw(`create ${kind} if not exists ${name} on ${definition}`)}`.execute(db);
  }
}
