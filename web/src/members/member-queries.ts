import { listInvitations, listMembers, listTokens, type Member } from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/paged-query.ts';
import { projectKey } from '../service/query-client.ts';

export function membersQuery(projectID: string) {
  return pagedQuery({
    queryKey: [...projectKey(projectID), 'members'],
    topics: ['members'],
    list: (page, options) => listMembers(client, { projectID, ...page }, options),
  });
}

export function invitationsQuery(projectID: string) {
  return pagedQuery({
    queryKey: [...projectKey(projectID), 'invitations'],
    // An accepted invitation becomes a member, and a member who leaves takes their invitations along.
    topics: ['members'],
    list: (page, options) => listInvitations(client, { projectID, ...page }, options),
  });
}

/** What a member leaves behind. Read when somebody asks, and not kept. */
export function leftBehindQuery(projectID: string, { userID }: Member, mayReadTokens: boolean) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'members', userID, 'left-behind'],
    queryFn: async ({ signal }) => {
      let invitationsCount = 0;
      let tokensCount = 0;
      let agentsCount = 0;
      const page = { projectID, last: 100 };
      for await (const { createdBy } of listInvitations(client, page, { signal }))
        if (createdBy.id === userID) invitationsCount += 1;
      if (!mayReadTokens) return { invitationsCount, tokensCount, agentsCount };
      for await (const token of listTokens(client, page, { signal })) {
        if (token.createdBy.id !== userID) continue;
        tokensCount += 1;
        agentsCount += token.agentsCount;
      }
      return { invitationsCount, tokensCount, agentsCount };
    },
    staleTime: 0,
    gcTime: 0,
  });
}
