import { firstPreviousDigest } from '@muster/contract';
import { CompiledQuery, type Kysely } from 'kysely';
import { deferred } from '../../foundation/database/deferred-statement.ts';
import { preparedAs } from '../../foundation/database/prepared-name.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { auditTextParts, type NewAuditEntry } from './audit-entry.ts';
import { chainOf, columnNames, columnValues } from './audit-row.ts';

const ownParameters = 5;

/** Prepared, because to plan it takes longer than to run it, and it is part of each change. */
const appendSql = deferred(`${preparedAs('append-audit-entry')}
  with chain as (
    insert into audit_chains as chain (chain_id, last_sequence, previous_digest, last_digest)
    values ($1, 1, $2, ${digest("$3::text || $2::text || $4::text || '1' || $5::text")})
    on conflict (chain_id) do update set
      last_sequence = chain.last_sequence + 1,
      previous_digest = chain.last_digest,
      last_digest = ${digest('$3::text || chain.last_digest || $4::text || (chain.last_sequence + 1) || $5::text')}
    returning chain_id, last_sequence, previous_digest, last_digest
  )
  insert into audit_entries (chain_id, sequence, previous_digest, digest, ${columnNames.join(', ')})
  select chain_id, last_sequence, previous_digest, last_digest,
    ${columnNames.map((_, index) => `$${ownParameters + 1 + index}`).join(', ')}
  from chain`);

/**
 * Appends an entry to its chain, in the transaction of the caller. The row of the chain is locked until the transaction ends, so that entries of all
 * replicas follow one another.
 */
export async function appendOnPostgres(trx: Kysely<Tables>, entry: NewAuditEntry): Promise<void> {
  const { start, middle, end } = auditTextParts(entry);
  await trx.executeQuery(
    CompiledQuery.raw(appendSql, [
      chainOf(entry.projectID),
      firstPreviousDigest,
      start,
      middle,
      end,
      ...columnValues(entry),
    ]),
  );
}

function digest(text: string): string {
  return `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;
}
