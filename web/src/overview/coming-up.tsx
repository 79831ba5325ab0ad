import { listTokens } from '@muster/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { freezeQuery, incompleteRolloutsQuery } from '../rollouts/upcoming-queries.ts';
import { client } from '../service/client.ts';
import { projectKey } from '../service/query-client.ts';
import { whenReachable } from '../service/when-reachable.ts';
import { useMay } from '../session/use-may.ts';

// On most days, nobody needs it.
const ComingUpList = lazy(
  whenReachable(async () => ({ default: (await import('./coming-up-list.tsx')).ComingUpList })),
);

const maxTokens = 50;

/** What will happen by itself. Nothing if there is nothing that could. */
export function ComingUp({ projectID }: { readonly projectID: string }) {
  const may = useMay(projectID);
  const { data: freezes } = useQuery({ ...freezeQuery(projectID), enabled: may('read:fleet') });
  const { data: rollouts = [] } = useQuery({
    ...incompleteRolloutsQuery(projectID),
    enabled: may('read:fleet'),
  });
  const { data: tokens = [] } = useQuery({ ...expiringQuery(projectID), enabled: may('read:token') });
  if (!freezes?.freeze && !freezes?.nextFreeze && rollouts.length + tokens.length === 0) return null;
  return (
    <Suspense>
      <ComingUpList projectID={projectID} freezes={freezes} rollouts={rollouts} tokens={tokens} />
    </Suspense>
  );
}

/** The tokens that expire at all, the soonest first. */
function expiringQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'dated-tokens'],
    queryFn: async ({ signal }) => {
      const query = { projectID, sort: 'expiresAt', last: maxTokens } as const;
      const { items } = await listTokens(client, query, { signal }).first();
      return items.filter(({ expiresAt }) => expiresAt !== null);
    },
    meta: { topics: ['tokens'] },
  });
}
