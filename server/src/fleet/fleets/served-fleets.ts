import type { FleetConfigFormat } from '@muster/contract';
import { type ConfigPiece, encodeValue, type Variable } from '@muster/fleet-config';
import { meantSeconds } from '@muster/http/fleets/meant-seconds';
import { toTimestamp } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { TwoGenerations } from '../../foundation/two-generations.ts';
import { ConfigThread } from './config-thread.ts';
import { filesOf } from './fleet-content.ts';
import { findFleet } from './fleet-store.ts';
import { type FleetVersionRow, findVersion, readContents } from './fleet-version-store.ts';
import { findCurrent, listPublications } from './publication-store.ts';
import { handleVariable, hostName, type WantedForm } from './render-config.ts';
import type { FleetValues } from './values/fleet-values.ts';
import type { Publication, VersionChoice } from './version-choice.ts';

/** A fleet as far as it must be known to answer its agents. */
export interface ServedFleet {
  readonly id: string;
  readonly projectID: string;
  readonly hasReporting: boolean;
  /** Undefined: it serves nothing yet. */
  readonly current: Publication | undefined;
  readonly clock: ProjectClock;
  /** Which version each of its agents gets. */
  readonly choice: VersionChoice;
  /** What the variables in its configurations stand for. */
  readonly values: FleetValues;
}

/** The newest publications of a project, and what the fleet serves, which can be older: its agents go on to have that. */
class ProjectClock {
  readonly #bySeconds: ReadonlyMap<number, Publication>;
  /** Their dates. */
  readonly recent: readonly number[];

  constructor(recent: readonly Publication[], served: readonly Publication[]) {
    const known = [...recent, ...served];
    this.#bySeconds = new Map(known.map((publication) => [publication.seconds, publication]));
    this.recent = [...this.#bySeconds.keys()];
  }

  /** The publication that an agent in any zone means; undefined if none of the newest ones is meant. */
  find(said: number): Publication | undefined {
    const seconds = this.#bySeconds.has(said) ? said : meantSeconds(said, this.recent);
    return seconds === undefined ? undefined : this.#bySeconds.get(seconds);
  }
}

const ascii = /^[\n\r\t\x20-\x7E]*$/;

/** Up to this length, one text is sent faster than its parts: it goes to the socket together with the headers. */
const maxJoinedLength = 16_384;

/** A configuration in one form, ready to be sent. */
export class ServedConfig {
  readonly format: FleetConfigFormat;
  /** Those of which each agent has its own values, in their order. */
  readonly variables: readonly Variable[];
  readonly hasSecrets: boolean;
  readonly isSmall: boolean;
  /** Without values, for people. */
  readonly shown: readonly Buffer[];
  readonly #pieces: readonly (Buffer | string | Variable)[];
  readonly #isJoined: boolean;

  constructor(pieces: readonly ConfigPiece[], format: FleetConfigFormat) {
    this.format = format;
    const texts = pieces.filter((piece) => typeof piece === 'string');
    this.isSmall = texts.reduce((sum, { length }) => sum + length, 0) <= maxJoinedLength;
    this.#isJoined = this.isSmall && texts.every((text) => ascii.test(text));
    this.#pieces = pieces.map((piece) =>
      typeof piece === 'string' && !this.#isJoined ? Buffer.from(piece) : piece,
    );
    this.variables = pieces.flatMap((piece) => (typeof piece !== 'string' && isValue(piece) ? [piece] : []));
    this.hasSecrets = this.variables.some(({ scope }) => scope === 'secrets');
    this.shown = this.variables.map(({ scope, name }) => Buffer.from(`{{${scope}.${name}}}`));
  }

  /** A value as it is written into this configuration. */
  encode(value: string): Buffer | string {
    const encoded = this.format === 'yaml' ? encodeValue(value, 'yaml') : value;
    return ascii.test(encoded) ? encoded : Buffer.from(encoded);
  }

  /**
   * Its parts in their order. Only short texts are joined: a new buffer for each poll would cost more than the rest of the answer.
   *
   * @param handle the id with which the agent asks alone; undefined: all agents ask with the same one, and are told apart by the names of their hosts
   * @param values of its variables, in their order, as `encode` has written them
   */
  partsFor(handle: string | undefined, values: readonly (Buffer | string)[]): readonly (Buffer | string)[] {
    const parts: (Buffer | string)[] = [];
    let joined: string | undefined = this.#isJoined ? '' : undefined;
    let next = 0;
    for (const piece of this.#pieces) {
      let part: Buffer | string;
      if (typeof piece === 'string' || !('scope' in piece)) part = piece;
      else if (isValue(piece)) {
        part = values[next] ?? '';
        next += 1;
      } else part = handle ?? hostName;
      if (joined !== undefined && typeof part === 'string') joined += part;
      else joined = undefined;
      parts.push(part);
    }
    return joined === undefined ? parts : [joined];
  }
}

function isValue({ scope }: Variable): boolean {
  return scope !== handleVariable.scope;
}

const maxFleets = 2_000;
/** Versions whose configurations are sent as one text. */
const maxSmallConfigs = 1_000;
/** All others. The largest have a megabyte. */
const maxLargeConfigs = 25;
/** Of a version: two formats, and the names by which agents reach the service, which they choose. */
const maxForms = 4;
const maxFilesAnswers = 20;

/** Everything that agents of a fleet can get now. */
export function publicationsServed({
  current,
  choice,
}: Pick<ServedFleet, 'current' | 'choice'>): Publication[] {
  const { to, back, before } = choice.rollout ?? {};
  return [current, to, back, before].filter((one) => one !== undefined);
}

interface ConfigForOrigin {
  readonly origin: string | undefined;
  readonly config: ServedConfig;
}

/** A new form replaces the last one alone, and one that is asked for again is not the last: whoever asks by many names of this service pushes out no form that is used. */
function recallForm(
  known: TwoGenerations<string, readonly ConfigForOrigin[]>,
  versionID: string,
  { format, origin }: WantedForm,
): ServedConfig | undefined {
  const forms = known.get(versionID) ?? [];
  const found = forms.find((one) => one.origin === origin && one.config.format === format);
  if (found !== undefined && found === forms[maxForms - 1])
    known.set(versionID, [found, ...forms.slice(0, -1)]);
  return found?.config;
}

interface Loaders {
  readonly loadChoice: (fleetID: string) => Promise<VersionChoice>;
  readonly loadValues: (fleetID: string) => Promise<FleetValues>;
}

/** What fleets serve, kept in memory so that an agent that asks for what it has costs no look-up. */
export class ServedFleets {
  readonly #database: Database;
  readonly #loaders: Loaders;
  readonly #fleets = new TwoGenerations<string, ServedFleet>(maxFleets);
  /** By version. */
  readonly #smallConfigs = new TwoGenerations<string, readonly ConfigForOrigin[]>(maxSmallConfigs);
  readonly #largeConfigs = new TwoGenerations<string, readonly ConfigForOrigin[]>(maxLargeConfigs);
  readonly #files = new TwoGenerations<string, string>(maxFilesAnswers);
  /** What is being made, so that agents that ask at once wait for the same. */
  readonly #begun = new Map<string, Promise<ServedConfig>>();
  readonly #thread = new ConfigThread();
  #generation = 0;

  constructor(database: Database, loaders: Loaders) {
    this.#database = database;
    this.#loaders = loaders;
  }

  recall(fleetID: string): ServedFleet | undefined {
    return this.#fleets.get(fleetID);
  }

  /** Undefined if there is none. */
  async find(fleetID: string): Promise<ServedFleet | undefined> {
    const { read } = this.#database;
    const generation = this.#generation;
    const row = await findFleet(read, fleetID);
    if (row === undefined) return undefined;
    const current = await findCurrent(read, fleetID);
    const choice = await this.#loaders.loadChoice(fleetID);
    const fleet: ServedFleet = {
      id: fleetID,
      projectID: row.project_id,
      hasReporting: row.reporting === 'on',
      current,
      clock: new ProjectClock(
        await listPublications(read, row.project_id),
        publicationsServed({ current, choice }),
      ),
      choice,
      values: await this.#loaders.loadValues(fleetID),
    };
    // What was read before a change must not be remembered after it.
    if (generation === this.#generation) this.#fleets.set(fleetID, fleet);
    return fleet;
  }

  recallConfig(versionID: string, form: WantedForm): ServedConfig | undefined {
    return recallForm(this.#smallConfigs, versionID, form) ?? recallForm(this.#largeConfigs, versionID, form);
  }

  async findConfig(versionID: string, form: WantedForm): Promise<ServedConfig> {
    const key = JSON.stringify([versionID, form]);
    const begun = this.#begun.get(key);
    if (begun !== undefined) return begun;
    const found = this.#render(versionID, form).finally(() => this.#begun.delete(key));
    this.#begun.set(key, found);
    return found;
  }

  async #render(versionID: string, form: WantedForm): Promise<ServedConfig> {
    const { raw_config, config_format } = await this.#require(versionID);
    const task = { kind: 'render', config: { raw_config, config_format }, form } as const;
    const config = new ServedConfig(await this.#thread.run(task, raw_config.length), form.format);
    const configs = config.isSmall ? this.#smallConfigs : this.#largeConfigs;
    const others = configs.get(versionID) ?? [];
    configs.set(versionID, [...others.slice(0, maxForms - 1), { origin: form.origin, config }]);
    return config;
  }

  /** The JSON of all files of a version. */
  async findFiles(versionID: string): Promise<string> {
    const known = this.#files.get(versionID);
    if (known !== undefined) return known;
    const { read, engine } = this.#database;
    const version = await this.#require(versionID);
    const files = filesOf(version);
    const contents = await readContents(
      read,
      engine,
      version.project_id,
      files.map(({ digest }) => digest),
    );
    const createdAt = toTimestamp(version.created_at);
    const text = JSON.stringify(
      files.map(({ name, digest }) => ({
        // Agents do not read it. The files of a version have no ids of their own.
        id: versionID,
        name,
        contents: Buffer.from(contents.get(digest) ?? []).toString('base64'),
        createdAt,
        updatedAt: createdAt,
      })),
    );
    this.#files.set(versionID, text);
    return text;
  }

  /** All fleets of a project share a clock, so that a change of one is a change of all. Versions never change. */
  forgetAll(): void {
    this.#generation += 1;
    this.#fleets.clear();
  }

  async #require(versionID: string): Promise<FleetVersionRow> {
    const version = await findVersion(this.#database.read, versionID);
    if (version === undefined) throw new Error('a version that is served does not exist');
    return version;
  }
}
