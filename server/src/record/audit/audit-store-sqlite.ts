import { firstPreviousDigest } from '@muster/contract';
import { CompiledQuery, type Kysely } from 'kysely';
import { deferred } from '../../foundation/database/deferred-statement.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { auditTextParts, type NewAuditEntry } from './audit-entry.ts';
import { chainOf, columnNames, columnValues } from './audit-row.ts';

// As texts, because to build them takes longer than to run them, and they are part of each change.
const moveSql = deferred(`
  insert into audit_chains as chain (chain_id, last_sequence, previous_digest, last_digest)
  values (?1, 1, ?2, sha256_hex(?3 || ?2 || ?4 || '1' || ?5))
  on conflict (chain_id) do update set
    last_sequence = chain.last_sequence + 1,
    previous_digest = chain.last_digest,
    last_digest = sha256_hex(?3 || chain.last_digest || ?4 || (chain.last_sequence + 1) || ?5)`);
const insertSql = deferred(`
  insert into audit_entries (chain_id, sequence, previous_digest, digest, ${columnNames.join(', ')})
  select chain_id, last_sequence, previous_digest, last_digest,
    ${columnNames.map((_, index) => `?${index + 2}`).join(', ')}
  from audit_chains where chain_id = ?1`);

/** Appends an entry to its chain, in the transaction of the caller. */
export async function appendOnSqlite(trx: Kysely<Tables>, entry: NewAuditEntry): Promise<void> {
  const chain = chainOf(entry.projectID);
  const { start, middle, end } = auditTextParts(entry);
  await trx.executeQuery(CompiledQuery.raw(moveSql, [chain, firstPreviousDigest, start, middle, end]));
  await trx.executeQuery(CompiledQuery.raw(insertSql, [chain, ...columnValues(entry)]));
}
