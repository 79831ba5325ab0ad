import { type Compilable, CompiledQuery, type Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export const deferredMark = '/* sent with the next statement */';

/**
 * Marks a statement whose result nobody reads. In a transaction, it is sent together with the next statement or the commit, and runs before it: that
 * saves a round trip. If it fails, the next statement or the commit fails with its error. So a commit that succeeds contains it.
 */
export function deferred(text: string): string {
  return `${deferredMark}${text}`;
}

/** The same for a statement that Kysely has built. */
export async function executeWithNext(db: Kysely<Tables>, query: Compilable): Promise<void> {
  const { sql, parameters } = query.compile();
  await db.executeQuery(CompiledQuery.raw(deferred(sql), [...parameters]));
}

export function isDeferred(text: string): boolean {
  return text.startsWith(deferredMark);
}
