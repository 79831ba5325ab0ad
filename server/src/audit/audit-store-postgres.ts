import { firstPreviousDigest } from '@muster/contract';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { auditTextParts, type NewAuditEntry } from './audit-entry.ts';
import { chainOf, columnNames, columnValues, firstText } from './audit-row.ts';

/**
 * Appends an entry to its chain, in the transaction of the caller. The row of the chain is locked until the transaction ends, so that entries of all
 * replicas follow one another.
 */
export async function appendOnPostgres(trx: Kysely<Tables>, entry: NewAuditEntry): Promise<void> {
  const { start, middle, end } = auditTextParts(entry);
  await sql`
    with chain as (
      insert into audit_chains as chain (chain_id, last_sequence, previous_digest, last_digest)
      values (${chainOf(entry.projectID)}, 1, ${firstPreviousDigest}, ${digest(sql`${firstText(entry)}::text`)})
      on conflict (chain_id) do update set
        last_sequence = chain.last_sequence + 1,
        previous_digest = chain.last_digest,
        last_digest = ${digest(sql`
          ${start}::text || chain.last_digest || ${middle}::text || (chain.last_sequence + 1) || ${end}::text`)}
      returning chain_id, last_sequence, previous_digest, last_digest
    )
    insert into audit_entries (
      chain_id, sequence, previous_digest, digest, ${sql.join(columnNames.map((name) => sql.ref(name)))}
    )
    select chain_id, last_sequence, previous_digest, last_digest, ${sql.join(columnValues(entry))}
    from chain`.execute(trx);
}

function digest(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;
}
