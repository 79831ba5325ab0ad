import { firstPreviousDigest } from '@muster/contract';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { auditTextParts, type NewAuditEntry } from './audit-entry.ts';
import { chainOf, columnNames, columnValues, firstText } from './audit-row.ts';

/** Appends an entry to its chain, in the transaction of the caller. */
export async function appendOnSqlite(trx: Kysely<Tables>, entry: NewAuditEntry): Promise<void> {
  const chain = chainOf(entry.projectID);
  const { start, middle, end } = auditTextParts(entry);
  const move = sql`
    insert into audit_chains as chain (chain_id, last_sequence, previous_digest, last_digest)
    values (${chain}, 1, ${firstPreviousDigest}, sha256_hex(${firstText(entry)}))
    on conflict (chain_id) do update set
      last_sequence = chain.last_sequence + 1,
      previous_digest = chain.last_digest,
      last_digest = sha256_hex(${start} || chain.last_digest || ${middle} || (chain.last_sequence + 1) || ${end})`;
  const insert = sql`
    insert into audit_entries (
      chain_id, sequence, previous_digest, digest, ${sql.join(columnNames.map((name) => sql.ref(name)))}
    )
    select chain_id, last_sequence, previous_digest, last_digest, ${sql.join(columnValues(entry))}
    from audit_chains where chain_id = ${chain}`;
  // Both are on their way to the thread of the writer at once. It runs them one after the other.
  await Promise.all([move.execute(trx), insert.execute(trx)]);
}
