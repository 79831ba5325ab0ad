import type { Connection } from './connect.ts';

const isUUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The names of fleets by their ids, for people. Without those that the credential may not read, that are gone, or that only agents
 * know: they may name a fleet as they like.
 */
export async function readFleetNames(
  { client }: Pick<Connection, 'client'>,
  fleetIDs: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(fleetIDs)].filter((id): id is string => id !== null && isUUID.test(id));
  if (ids.length === 0) return new Map();
  const { getFleet, MusterError } = await import('@muster/client');
  const names = new Map<string, string>();
  await Promise.all(
    ids.map(async (fleetID) => {
      try {
        names.set(fleetID, (await getFleet(client, { fleetID })).name);
      } catch (error) {
        if (!(error instanceof MusterError)) throw error;
      }
    }),
  );
  return names;
}
