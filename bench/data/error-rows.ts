import { hash, randomBytes } from 'node:crypto';
import { createNewID } from '../../server/src/clock.ts';
import { createNewTextPrefix } from '../load/new-texts.ts';

/** The columns that the service fills for a new error; the others are empty. */
export interface NewErrorRow {
  readonly agentID: string;
  readonly id: string;
  readonly error: string;
  readonly digest: Buffer;
  readonly createdAt: number;
}

/** Creates rows as the service does, for one agent after the other. */
export function createErrorRows(agentIDs: readonly string[]): (count: number) => NewErrorRow[] {
  const newID = createNewID(Date.now, randomBytes);
  const prefix = createNewTextPrefix();
  let made = 0;
  return (count) =>
    Array.from({ length: count }, () => {
      made += 1;
      const error = `${prefix}${made}`;
      return {
        agentID: agentIDs[made % agentIDs.length] ?? '',
        id: newID(),
        error,
        digest: hash('sha256', error, 'buffer'),
        createdAt: Date.now(),
      };
    });
}
