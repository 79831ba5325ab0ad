import type { Kysely } from 'kysely';
import type { Tables } from '../foundation/database/tables.ts';
import type { InTransaction } from './agent-error-store.ts';

/** Runs a change and, if it has changed something, what belongs to it, in one transaction. Returns whether it has. */
export function changeIf(
  write: Kysely<Tables>,
  change: (trx: Kysely<Tables>) => Promise<boolean>,
  onDone: InTransaction | undefined,
): Promise<boolean> {
  return write.transaction().execute(async (trx) => {
    const isChanged = await change(trx);
    if (isChanged) await onDone?.(trx);
    return isChanged;
  });
}
