import { useInfiniteQuery } from '@tanstack/react-query';
import { membersQuery } from '../members/member-queries.ts';
import { useMay } from '../session/use-may.ts';
import { tokensQuery } from '../tokens/token-queries.ts';
import type { KnownNames } from './name-choices.ts';

/** The newest people and tokens of a project, also those tokens that have ended. @param projectID undefined: nobody */
export function useKnownNames(projectID = ''): KnownNames {
  const may = useMay(projectID);
  const isProject = projectID !== '';
  const { data: members } = useInfiniteQuery({
    ...membersQuery(projectID),
    enabled: isProject && may('read:member'),
  });
  const { data: tokens } = useInfiniteQuery({
    ...tokensQuery(projectID, { status: 'all' }),
    enabled: isProject && may('read:token'),
  });
  return {
    people: (members?.pages ?? []).flatMap(({ items }) =>
      items.map(({ userID, name }) => ({ id: userID, name })),
    ),
    tokens: (tokens?.pages ?? []).flatMap(({ items }) => items),
  };
}
