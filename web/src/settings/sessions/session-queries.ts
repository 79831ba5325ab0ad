import { listSessions, revokeSession } from '@muster/client';
import { client } from '../../service/client.ts';
import { pagedQuery } from '../../service/paged-query.ts';

export const sessionsQuery = pagedQuery({
  queryKey: ['sessions'],
  topics: [],
  list: (page, options) => listSessions(client, page, options),
});

/** Ends every session of the user but the one of this browser. Returns how many. */
export async function revokeOtherSessions(): Promise<number> {
  const others: string[] = [];
  for await (const { id, current } of listSessions(client, { last: 100 })) if (!current) others.push(id);
  for (const sessionID of others) await revokeSession(client, { sessionID });
  return others.length;
}
