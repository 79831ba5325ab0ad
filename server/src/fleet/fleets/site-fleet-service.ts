import { hash } from 'node:crypto';
import type {
  FleetsOfSite,
  SiteConfig,
  SiteFleet,
  SiteFleetContent,
  SiteFleets,
  SitePublication,
} from '@muster/contract';
import { toProblem } from '@muster/http/answers/to-problem';
import type { Database } from '../../foundation/database/database.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { ConfigThread } from './config-thread.ts';
import { listFleetNames } from './fleet-store.ts';
import { findVersion } from './fleet-version-store.ts';
import { listPublications, readFleetGeneration } from './publication-store.ts';
import { publicationsServed, type ServedFleet, type ServedFleets } from './served-fleets.ts';
import { listServedSeats, type ServedSeat } from './site-fleet-store.ts';
import type { Publication } from './version-choice.ts';

interface SiteFleetServiceOptions {
  readonly database: Database;
  readonly served: ServedFleets;
}

interface Site {
  readonly projectID: string;
  readonly coreInstanceID: string;
}

const ofThisMoment: ReadonlySet<string> = new Set(['overloaded', 'invalid_fleet_config']);
const contentPattern = /^([0-9a-f-]{36})\.(on|off)$/;

/** What core instances have to know so that they serve fleets as this service does. */
export class SiteFleetService {
  readonly #options: SiteFleetServiceOptions;
  readonly #thread = new ConfigThread();
  /** Sites hear of a new version together, and share the work on its content while it lasts. */
  readonly #rendering = new Map<string, Promise<SiteFleetContent>>();

  constructor(options: SiteFleetServiceOptions) {
    this.#options = options;
  }

  /** It grows with every change of what fleets serve. */
  generation(): Promise<number> {
    return readFleetGeneration(this.#options.database.read);
  }

  async list(site: Site, cursor: string | undefined): Promise<SiteFleets> {
    const known = await this.#list(site);
    const now = hash('sha256', JSON.stringify(known)).slice(0, 32);
    return { cursor: now, changed: now === cursor ? null : known };
  }

  /** @throws Refusal not_found */
  async content({ projectID }: Site, key: string, isEncrypted: boolean): Promise<SiteFleetContent> {
    const { database } = this.#options;
    const [, versionID, reporting] = contentPattern.exec(key) ?? [];
    const version = versionID === undefined ? undefined : await findVersion(database.read, versionID);
    if (version === undefined || version.project_id !== projectID) {
      throw new Refusal('not_found', { detail: `There is no content '${key}' of fleets here.` });
    }
    const name = `${key} ${isEncrypted}`;
    const underWay = this.#rendering.get(name);
    if (underWay !== undefined) return underWay;
    const rendering = this.#render(version, { hasReporting: reporting === 'on', isEncrypted });
    this.#rendering.set(name, rendering);
    try {
      return await rendering;
    } finally {
      this.#rendering.delete(name);
    }
  }

  async #render(
    { id, raw_config, config_format }: FleetVersion,
    wanted: { readonly hasReporting: boolean; readonly isEncrypted: boolean },
  ): Promise<SiteFleetContent> {
    const config = { raw_config, config_format };
    const formOf = async (format: 'classic' | 'yaml'): Promise<SiteConfig> => {
      const form = { format, ...wanted };
      try {
        return {
          parts: await this.#thread.run({ kind: 'renderForSites', config, form }, raw_config.length),
        };
      } catch (refusal) {
        // What only the moment refuses is no property of the version.
        if (!(refusal instanceof Refusal) || ofThisMoment.has(refusal.code)) throw refusal;
        return { problem: toProblem(refusal.code, '', refusal.detail, refusal.fields?.slice()) };
      }
    };
    return {
      classic: await formOf('classic'),
      yaml: await formOf('yaml'),
      files: await this.#options.served.findFiles(id),
    };
  }

  async #list({ projectID, coreInstanceID }: Site): Promise<FleetsOfSite> {
    const { database, served } = this.#options;
    const fleets: { readonly row: NamedFleet; readonly fleet: ServedFleet }[] = [];
    for (const row of await listFleetNames(database.read, projectID)) {
      const fleet = served.recall(row.id) ?? (await served.find(row.id));
      if (fleet !== undefined) fleets.push({ row, fleet });
    }
    const rolledOut = fleets.flatMap(({ fleet }) => (fleet.choice.rollout === undefined ? [] : [fleet.id]));
    const seats = await listServedSeats(database, { projectID, coreInstanceID }, rolledOut);
    // A project may have a thousand fleets, and a hundred thousand agents at a site.
    const seatsOf = new Map<string, ServedSeat[]>();
    for (const seat of seats) {
      if (seat.is_here === 0) continue;
      const others = seatsOf.get(seat.fleet_id);
      if (others === undefined) seatsOf.set(seat.fleet_id, [seat]);
      else others.push(seat);
    }
    const recent = await listPublications(database.read, projectID);
    const ofFleets = fleets.flatMap(({ fleet }) => publicationsServed(fleet));
    const publications = new Map([...recent, ...ofFleets].map((one) => [one.seconds, one]));
    return {
      fleets: fleets.map(({ row, fleet }) => toSiteFleet(row, fleet, seatsOf.get(row.id) ?? [])),
      // One that was moved gets later dates.
      moved: seats.flatMap(({ handle, fleet_id: fleetID, shift_seconds: shift }) =>
        shift === 0 ? [] : [{ handle, fleetID, shift }],
      ),
      publications: [...publications.values()].map(({ fleetID, versionID, seconds }) => ({
        fleetID,
        versionID,
        seconds,
      })),
    };
  }
}

type FleetVersion = NonNullable<Awaited<ReturnType<typeof findVersion>>>;
type NamedFleet = Awaited<ReturnType<typeof listFleetNames>>[number];

function toSiteFleet(
  { id, name, number, handle_key: handleKey }: NamedFleet,
  fleet: ServedFleet,
  seats: readonly ServedSeat[],
): SiteFleet {
  const { current } = fleet;
  const named = { id, name, number, handleKey };
  return current === undefined
    ? { ...named, current: null, rollout: null }
    : { ...named, current: toSite(current, fleet), rollout: rolloutOf(fleet, current, seats) };
}

function rolloutOf(
  fleet: ServedFleet,
  current: Publication,
  seats: readonly ServedSeat[],
): SiteFleet['rollout'] {
  const { choice, projectID } = fleet;
  if (choice.rollout === undefined) return null;
  const { to, back, before } = choice.rollout;
  const gets = (agentID: string | undefined): boolean =>
    choice.choose({
      projectID,
      fleetID: fleet.id,
      agentID,
      isAnonymous: agentID === undefined,
      asksFor: 'config',
      has: undefined,
      current,
    }) === to;
  return {
    to: toSite(to, fleet),
    back: back === undefined ? null : toSite(back, fleet),
    before: before === undefined ? null : toSite(before, fleet),
    handles: seats.flatMap(({ agent_id, handle }) => (gets(agent_id) ? [handle] : [])),
    isForAnonymous: gets(undefined),
  };
}

function toSite({ versionID, seconds }: Publication, { hasReporting }: ServedFleet): SitePublication {
  return { versionID, seconds, content: `${versionID}.${hasReporting ? 'on' : 'off'}` };
}
