import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorGroupCounter } from '../../errors/groups/counting/error-group-counter.ts';
import { FleetConfigChecker } from '../../fleet/fleets/check-fleet-config.ts';
import { ConfigPoll } from '../../fleet/fleets/config-poll.ts';
import { FleetCountService } from '../../fleet/fleets/fleet-count-service.ts';
import { FleetFileService } from '../../fleet/fleets/fleet-file-service.ts';
import { FleetMoves } from '../../fleet/fleets/fleet-moves.ts';
import { FleetPublications } from '../../fleet/fleets/fleet-publications.ts';
import { FleetSearch } from '../../fleet/fleets/fleet-search.ts';
import { FleetService } from '../../fleet/fleets/fleet-service.ts';
import { FleetVersionService } from '../../fleet/fleets/fleet-version-service.ts';
import { FreezeService } from '../../fleet/fleets/rollouts/freeze-service.ts';
import { loadRolloutChoice } from '../../fleet/fleets/rollouts/load-rollout-choice.ts';
import { RolloutChanges } from '../../fleet/fleets/rollouts/rollout-changes.ts';
import { RolloutRunner } from '../../fleet/fleets/rollouts/rollout-runner.ts';
import { RolloutService } from '../../fleet/fleets/rollouts/rollout-service.ts';
import { ServedFleets } from '../../fleet/fleets/served-fleets.ts';
import { SiteFleetService } from '../../fleet/fleets/site-fleet-service.ts';
import { FleetValueService } from '../../fleet/fleets/values/fleet-value-service.ts';
import { loadValues } from '../../fleet/fleets/values/load-values.ts';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { SecretBox } from '../../foundation/secret-box.ts';
import type { AppParts } from './app-parts.ts';
import type { Fleet } from './create-fleet.ts';

interface FleetsLinks {
  readonly projects: ProjectService;
  readonly fleet: Fleet;
  readonly box: SecretBox;
  readonly counter: Pick<ErrorGroupCounter, 'catchUp' | 'catchUpWholly'>;
}

export type Fleets = ReturnType<typeof createFleets>;

/** Fleets: their configurations, and which agent gets which version. */
export function createFleets(parts: AppParts, { projects, fleet, box, counter }: FleetsLinks) {
  const { config, database } = parts;
  const { fleetAgents, signs, silence } = fleet;
  const served = new ServedFleets(database, {
    loadChoice: (fleetID) => loadRolloutChoice(database, parts.clock, fleetID),
    loadValues: (fleetID) => loadValues(database.read, box, fleetID),
  });
  const onChange = () => served.forgetAll();
  const publications = new FleetPublications(parts);
  const values = new FleetValueService({
    ...parts,
    box,
    projects,
    publications,
    agents: fleetAgents,
    onChange() {
      served.forgetAll();
      fleet.servedSecrets.forgetAll();
    },
  });
  const versions = new FleetVersionService({ ...parts, checker: new FleetConfigChecker() });
  const fleets = new FleetService({
    ...parts,
    projects,
    versions,
    publications,
    onChange,
  });
  const changes = new RolloutChanges({ ...parts, publications });
  // Brings the status of each agent up to date.
  const countChanges = async () => {
    await silence.look();
    await counter.catchUp();
  };
  const catchUp = async () => {
    await fleetAgents.flush();
    await countChanges();
  };
  const countWholly = (projectID: string) => counter.catchUpWholly(projectID);
  const rollouts = new RolloutService({ ...parts, projects, publications, changes, catchUp, onChange });
  const freezes = new FreezeService({ ...parts, projects });
  const rolloutRunner = new RolloutRunner({ ...parts, projects, changes, catchUp, countWholly, onChange });
  const files = new FleetFileService({ ...parts, fleets, versions });
  const counts = new FleetCountService({ database, projects, agents: fleetAgents, countChanges });
  const moves = new FleetMoves({ ...parts, agents: fleetAgents, catchUp, onChange });
  const siteFleets = new SiteFleetService({ database, served });
  const search = new FleetSearch({ ...parts, projects });
  const poll = new ConfigPoll({
    served,
    agents: fleetAgents,
    clock: parts.clock,
    onAgent: (agentID) => signs.noteBeat(agentID),
  });
  return {
    fleets,
    versions,
    files,
    counts,
    moves,
    values,
    search,
    poll,
    siteFleets,
    rollouts,
    freezes,
    rolloutRunner,
    /** Where agents reach this service: as it is set, or as they have reached it. */
    originOf: ({ host = 'localhost' }: IncomingHttpHeaders): string => {
      const origin = config.publicUrl ?? `${config.tls === undefined ? 'http' : 'https'}://${host}`;
      if (URL.canParse(origin)) return origin;
      throw new Refusal('bad_request', { detail: 'The header Host is not the address of a host.' });
    },
    /** Somebody else may have changed what fleets serve. */
    forgetAll() {
      served.forgetAll();
      fleetAgents.forgetAll();
    },
  };
}
