import { sql } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import type { ListeningPeriod } from './listened-time.ts';

/** A longer break begins another period. Longer than the time between two notes. */
const maxBreakMilliseconds = 180_000;

/** Records that the service listens now. Replicas share the periods. */
export async function noteListening(database: Database, now: number): Promise<void> {
  await database.write.transaction().execute(async (trx) => {
    await database.takeLock(trx, 'listening periods');
    // They begin in the future if the clock was set back.
    await sql`delete from listening_periods where started_at > ${now}`.execute(trx);
    await sql`
      insert into listening_periods (started_at, ended_at)
      select coalesce((
        select started_at from listening_periods
        where ended_at >= ${now - maxBreakMilliseconds} order by started_at desc limit 1
      ), ${now}), ${now}
      where true
      on conflict (started_at) do update set ended_at = excluded.ended_at`.execute(trx);
  });
}

/** The latest first. */
export async function listListeningPeriods({ read }: Database): Promise<ListeningPeriod[]> {
  const { rows } = await sql<{ started_at: number; ended_at: number }>`
    select started_at, ended_at from listening_periods order by started_at desc`.execute(read);
  return rows.map((row) => ({ startedAt: row.started_at, endedAt: row.ended_at }));
}
