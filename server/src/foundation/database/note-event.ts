import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** An event of a project that no trigger notes, in the transaction of its change. It is numbered and dated afterwards (docs/decisions/0033-events-are-numbered-by-one-consumer.md). */
export async function noteEvent(
  trx: Kysely<Tables>,
  projectID: string,
  { type, ...data }: { readonly type: string } & Readonly<Record<string, unknown>>,
): Promise<void> {
  await sql`insert into event_changes (project_id, type, data) values (${projectID}, ${type}, ${JSON.stringify(data)})`.execute(
    trx,
  );
}
