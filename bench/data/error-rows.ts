import { hash, randomBytes } from 'node:crypto';
import { ErrorGroupIDs } from '../../server/src/errors/groups/identity/error-group.ts';
import { createNewID } from '../../server/src/foundation/clock.ts';
import { createNewTextPrefix } from '../load/new-texts.ts';

/** The columns that the service fills for a new error of an agent without a configuration; the others are empty. */
export interface NewErrorRow {
  readonly agentID: string;
  readonly id: string;
  readonly error: string;
  readonly digest: Buffer;
  readonly createdAt: number;
  readonly groupID: string;
}

/** Creates rows as the service does, for one agent after the other, several in a row for each. */
export function createErrorRows(
  projectID: string,
  agentIDs: readonly string[],
): (count: number, rowsPerAgent: number) => NewErrorRow[] {
  const groups = new ErrorGroupIDs();
  const newID = createNewID(Date.now, randomBytes);
  const prefix = createNewTextPrefix();
  let made = 0;
  return (count, rowsPerAgent) =>
    Array.from({ length: count }, () => {
      made += 1;
      const error = `${prefix}${made}`;
      return {
        agentID: agentIDs[Math.floor(made / rowsPerAgent) % agentIDs.length] ?? '',
        id: newID(),
        error,
        digest: hash('sha256', error, 'buffer'),
        createdAt: Date.now(),
        groupID: groups.of(projectID, error),
      };
    });
}
