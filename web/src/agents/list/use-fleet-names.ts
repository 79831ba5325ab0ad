import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useMay } from '../../session/use-may.ts';
import { reportedFleetsQuery } from '../agent-queries.ts';

/** The names of fleets by the ids that agents report. Those that were not created in this service have none. */
export function useFleetNames(projectID: string): ReadonlyMap<string, string> {
  const isAllowed = useMay(projectID)('read:fleet');
  const { data } = useQuery({ ...reportedFleetsQuery(projectID), enabled: isAllowed });
  return useMemo(
    () => new Map(data?.fleets.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const]))),
    [data],
  );
}
