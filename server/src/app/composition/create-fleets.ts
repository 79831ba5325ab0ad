import type { IncomingHttpHeaders } from 'node:http';
import { FleetConfigChecker } from '../../fleet/fleets/check-fleet-config.ts';
import { ConfigPoll } from '../../fleet/fleets/config-poll.ts';
import { FleetCountService } from '../../fleet/fleets/fleet-count-service.ts';
import { FleetFileService } from '../../fleet/fleets/fleet-file-service.ts';
import { FleetPublications } from '../../fleet/fleets/fleet-publications.ts';
import { FleetSearch } from '../../fleet/fleets/fleet-search.ts';
import { FleetService } from '../../fleet/fleets/fleet-service.ts';
import { FleetVersionService } from '../../fleet/fleets/fleet-version-service.ts';
import { ServedFleets } from '../../fleet/fleets/served-fleets.ts';
import { currentVersionForAll } from '../../fleet/fleets/version-choice.ts';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import type { AppParts } from './app-parts.ts';
import type { Fleet } from './create-fleet.ts';

interface FleetsLinks {
  readonly projects: ProjectService;
  readonly fleet: Fleet;
  /** Brings the status of each agent up to date. */
  readonly countChanges: () => Promise<unknown>;
}

export type Fleets = ReturnType<typeof createFleets>;

/** Fleets: their configurations, and which agent gets which version. */
export function createFleets(parts: AppParts, { projects, fleet, countChanges }: FleetsLinks) {
  const { config, database } = parts;
  const { fleetAgents, signs } = fleet;
  const served = new ServedFleets(database);
  const publications = new FleetPublications(parts);
  const versions = new FleetVersionService({ ...parts, checker: new FleetConfigChecker() });
  const fleets = new FleetService({
    ...parts,
    projects,
    versions,
    publications,
    onChange: () => served.forgetAll(),
  });
  const files = new FleetFileService({ ...parts, fleets, versions });
  const counts = new FleetCountService({ database, projects, agents: fleetAgents, countChanges });
  const search = new FleetSearch({ ...parts, projects });
  const poll = new ConfigPoll({
    served,
    agents: fleetAgents,
    choice: currentVersionForAll,
    onAgent: (agentID) => signs.noteBeat(agentID),
  });
  return {
    fleets,
    versions,
    files,
    counts,
    search,
    poll,
    /** Where agents reach this service: as it is set, or as they have reached it. */
    originOf: ({ host = 'localhost' }: IncomingHttpHeaders) =>
      config.publicUrl ?? `${config.tls === undefined ? 'http' : 'https'}://${host}`,
    /** Somebody else may have changed what fleets serve. */
    forgetAll() {
      served.forgetAll();
      fleetAgents.forgetAll();
    },
  };
}
