import { useDebouncedValue } from '@mantine/hooks';
import { type CreateFleetVersion, type FleetConfigFinding, validateFleetConfig } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../service/client.ts';
import { fleetsKey } from '../fleets-query.ts';

const pauseMilliseconds = 400;

/** What is known of a draft. `isClean` is true only of exactly what is written now. */
export interface Check {
  readonly isRunning: boolean;
  readonly isClean: boolean;
  readonly findings: readonly FleetConfigFinding[];
  readonly error: Error | null;
  readonly again: () => void;
}

/** Lets the service check what is written, after a pause in typing. An answer about an earlier text never counts for a later one. */
export function useCheck(projectID: string, fleetID: string, body: CreateFleetVersion): Check {
  const { rawConfig, configFormat, files, skipConfigValidation } = body;
  const content = JSON.stringify({ rawConfig, configFormat, files, skipConfigValidation });
  const [settled] = useDebouncedValue(content, pauseMilliseconds);
  const isEmpty = rawConfig.trim() === '';
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [...fleetsKey(projectID), 'check', fleetID, settled],
    queryFn: ({ signal }) =>
      validateFleetConfig(client, { fleetID, body: JSON.parse(settled) as CreateFleetVersion }, { signal }), // written four lines above
    enabled: settled === content && !isEmpty,
    staleTime: Number.POSITIVE_INFINITY,
    // Each text is a key of its own, and a configuration can be large.
    gcTime: 0,
    placeholderData: (previous) => previous,
  });
  const isOfThis = settled === content && !isFetching;
  return {
    isRunning: !isEmpty && error === null && !isOfThis,
    isClean: isOfThis && !isEmpty && error === null && data?.isValid === true,
    findings: isEmpty || error !== null ? [] : (data?.findings ?? []),
    error,
    again: () => void refetch(),
  };
}
