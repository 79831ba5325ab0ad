import type {
  FleetConfigFormat,
  SearchResult,
  SiteConfigPart,
  SiteFleet,
  SiteFleetContent,
  SitePublication,
} from '@muster/contract';
import { choosePublication } from '@muster/http/fleets/choose-publication';
import { fleetNumberOf, makeHandle } from '@muster/http/fleets/fleet-handle';
import { meantSeconds } from '@muster/http/fleets/meant-seconds';
import { Refusal } from '@muster/http/refusal';
import type { SentBy } from '../spool/spooled-item.ts';
import type { FleetCache } from './fleet-cache.ts';
import type { Polls } from './polls.ts';

interface FleetAnswersOptions {
  readonly cache: FleetCache;
  readonly polls: Polls;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  /** The project of this core instance. */
  readonly projectID: () => string | undefined;
  /** Asks the centre what has changed. False if it cannot be reached now. */
  readonly refresh: () => Promise<boolean>;
}

interface Asking {
  readonly by: SentBy;
  /** Of a fleet, or the one with which an agent asks alone. */
  readonly id: string;
  /** Its header `Fleet-Config-Version`. Undefined: it is no agent. */
  readonly said: string | undefined;
}

interface WantedConfig {
  readonly format: FleetConfigFormat;
  /** By which name and port the agent has reached this core instance. */
  readonly host: string;
  readonly port: string;
}

interface ServedConfig {
  readonly bytes: Buffer;
  /** In GMT, as agents parse it. */
  readonly lastModified: string;
}

/** What is wrong with a content, as the centre would say it. */
const passedOn = ['invalid_query_parameter', 'fleet_config_incomplete'] as const;

/** What the name of a host is for agents that cannot be told apart: they replace it themselves. */
const hostName = '$' + '{HOSTNAME}';

/** Answers agents that ask for their fleet and its configuration, as the centre would and without it. */
export class FleetAnswers {
  readonly #options: FleetAnswersOptions;

  constructor(options: FleetAnswersOptions) {
    this.#options = options;
  }

  /**
   * An agent gets an id of its own. Nothing is stored for that, here or at the centre.
   *
   * @throws Refusal not_found, unknown_search_resource, overloaded (as a rejection)
   */
  async search(
    {
      project_id: projectID,
      resource = 'fleet',
      term = '',
      exact = false,
    }: Readonly<Record<string, unknown>>,
    isAgent: boolean,
  ): Promise<SearchResult[]> {
    const own = this.#options.projectID();
    if (projectID !== undefined && projectID !== own) {
      throw new Refusal('not_found', {
        detail: `There is no project ${projectID} that this credential can see.`,
      });
    }
    if (resource !== 'fleet') {
      throw new Refusal('unknown_search_resource', {
        detail: `Resources of the kind '${resource}' cannot be searched for: resource must be 'fleet'.`,
      });
    }
    const wanted = String(term);
    const isWanted = ({ id, name }: SiteFleet): boolean =>
      id === wanted.toLowerCase() ||
      (exact === true && wanted !== '' ? name === wanted : name.startsWith(wanted));
    const found = await this.#lookTwice(
      () => this.#options.cache.fleets.filter(isWanted),
      ({ length }) => length > 0,
    );
    return found.map((fleet) => {
      const { id, name } = fleet;
      const shownID = isAgent && exact === true ? makeHandle(fleet, this.#options.randomBytes) : id;
      return { id: shownID, name, ID: shownID, Name: name };
    });
  }

  /** @throws Refusal not_found, overloaded, and what the centre answers if the format is not possible (as a rejection) */
  async config(asking: Asking, { format, host, port }: WantedConfig): Promise<ServedConfig> {
    if (format === 'json') {
      const message = 'must be ini or yaml at a core instance';
      throw new Refusal('invalid_query_parameter', {
        detail: `config_format ${message}`,
        fields: [{ path: 'config_format', message }],
      });
    }
    const { seconds, content, note } = await this.#serve(asking, 'config');
    const config = content[format];
    if ('problem' in config) {
      const { code, detail, fields } = config.problem;
      throw new Refusal(passedOn.find((one) => one === code) ?? 'internal_error', {
        detail,
        ...(fields === undefined ? {} : { fields }),
      });
    }
    note();
    const handle = isHandle(asking.id) ? asking.id : hostName;
    const text = config.parts.map((part) => fill(part, { handle, host, port })).join('');
    return {
      bytes: Buffer.from(text),
      lastModified: new Date(seconds * 1_000).toUTCString(),
    };
  }

  /** The JSON of the files beside the configuration that the agent gets. @throws Refusal not_found, overloaded (as a rejection) */
  async files(asking: Asking): Promise<string> {
    return (await this.#serve(asking, 'files')).content.files;
  }

  async #serve(
    { id, by, said }: Asking,
    asksFor: 'config' | 'files',
  ): Promise<{ readonly seconds: number; readonly content: SiteFleetContent; readonly note: () => void }> {
    const { cache, polls, clock } = this.#options;
    const fleet = await this.#lookTwice(
      () => cache.find(id),
      (one) => one?.current !== null && one !== undefined,
    );
    if (fleet === undefined) {
      throw new Refusal('not_found', { detail: `There is no fleet ${id} that this credential can see.` });
    }
    const { current } = fleet;
    if (current === null) {
      throw new Refusal('not_found', {
        detail: `The fleet ${fleet.id} has no configuration yet. Give it one: muster fleet update ${fleet.id} --config FILE`,
      });
    }
    const shift = cache.shiftOf(id);
    const has =
      said === undefined
        ? undefined
        : this.#publicationOf(Number(said) - shift, isHandle(id) ? fleet.id : undefined);
    // The files that belong to what it got last, also if it would get something else now.
    const before = asksFor === 'files' && isHandle(id) ? polls.offeredTo(id) : undefined;
    const publication =
      said === undefined
        ? current
        : (before ?? chooseFor(fleet, current, { id, has, isNamed: cache.isNamed(fleet, id) }));
    const content = await cache.content(publication.content);
    if (content === undefined) {
      void this.#options.refresh();
      throw new Refusal('overloaded', {
        detail:
          'This core instance has lost what the fleet serves, and asks Muster for it. Send the request again.',
        retryAfterSeconds: 5,
      });
    }
    const note = () => {
      if (said === undefined || !isHandle(id)) return;
      // An agent without a configuration says -1.
      const hasAny = Number(said) >= 0;
      polls.note(id, { at: clock(), by, shift, offered: publication, downloaded: has?.seconds, hasAny });
    };
    return { seconds: publication.seconds + shift, content, note };
  }

  /** What an agent in any zone means with a date; undefined: none of the newest publications. */
  #publicationOf(said: number, fleetID: string | undefined) {
    const { publications } = this.#options.cache;
    const seconds = meantSeconds(
      said,
      publications.map((one) => one.seconds),
    );
    // One that was moved may still have something of another fleet, with a date that means something else here.
    return publications.find(
      (one) => one.seconds === seconds && (fleetID === undefined || one.fleetID === fleetID),
    );
  }

  /** What is not found may have been created since the centre was asked. */
  async #lookTwice<Found>(look: () => Found, isFound: (found: Found) => boolean): Promise<Found> {
    const { cache, refresh } = this.#options;
    const found = look();
    if (isFound(found)) return found;
    await refresh();
    if (cache.cursor !== undefined) return look();
    throw new Refusal('overloaded', {
      detail:
        'This core instance has not heard of the fleets of its project yet, and cannot reach Muster now to ask. Send the request again later.',
      retryAfterSeconds: 15,
    });
  }
}

/** Nobody gets the version of a rollout whom the centre has not named, however long the line is cut. */
function chooseFor(
  { rollout }: SiteFleet,
  current: SitePublication,
  {
    id,
    has,
    isNamed,
  }: {
    readonly id: string;
    readonly has: { versionID: string; seconds: number } | undefined;
    readonly isNamed: boolean;
  },
): SitePublication {
  const rolledOut =
    rollout === null
      ? undefined
      : { to: rollout.to, back: rollout.back ?? undefined, before: rollout.before ?? undefined };
  return choosePublication(rolledOut, {
    has,
    current,
    isDue: () => (isHandle(id) ? isNamed : rollout?.isForAnonymous === true),
  });
}

function isHandle(id: string): boolean {
  return fleetNumberOf(id) !== undefined;
}

function fill(
  part: SiteConfigPart,
  { handle, host, port }: { readonly handle: string; readonly host: string; readonly port: string },
): string {
  if (typeof part === 'string') return part;
  switch (part.of) {
    case 'handle':
      return handle;
    case 'host':
      return host.replaceAll('.', `${part.escape}.`);
    case 'port':
      return port;
  }
}
