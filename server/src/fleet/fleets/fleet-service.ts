import type { CreateFleet, FleetConfigFormat, UpdateFleet } from '@muster/contract';
import { maxFleetsPerProject } from '@muster/contract';
import { redactKnownSecrets } from '@muster/redaction';
import type { Kysely } from 'kysely';
import type { Clock, NewID } from '../../foundation/clock.ts';
import type { Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { deleteInPortions } from '../../foundation/database/delete-in-portions.ts';
import { noteEvent } from '../../foundation/database/note-event.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { Page, PageOf } from '../../foundation/list-page.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { RandomBytes } from '../../foundation/secret.ts';
import { type AuditChange, type AuditService, changedValues } from '../../record/audit/audit-service.ts';
import type { ProjectService } from '../projects/project-service.ts';
import { formatInBody } from './config-format.ts';
import { fleetNotFound, isAsRead, requireFleet, untilUnchanged } from './fleet-access.ts';
import { digestOfContent, filesOf } from './fleet-content.ts';
import { listFiles, replaceFiles } from './fleet-file-store.ts';
import type { FleetPublications } from './fleet-publications.ts';
import { deleteFleetRows } from './fleet-purge-store.ts';
import * as store from './fleet-store.ts';
import type { CheckedContent, FleetVersionService } from './fleet-version-service.ts';
import { type FleetVersionRow, findVersion } from './fleet-version-store.ts';
import { noteFleetChange } from './publication-store.ts';
import { requireGoodVersion } from './require-good-version.ts';
import { supersedeRollouts } from './rollouts/rollout-store.ts';
import { requireValues } from './values/require-values.ts';
import { authorOf, type VersionAuthor } from './version-author.ts';

interface FleetServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly randomBytes: RandomBytes;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  readonly audit: Pick<AuditService, 'record'>;
  readonly versions: Pick<FleetVersionService, 'prepare' | 'add'>;
  readonly publications: FleetPublications;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  /** Called in the same turn of the event loop in which a change of a fleet was committed. */
  readonly onChange: (fleetID: string) => void;
}

interface FleetFilter {
  readonly name: string | undefined;
  readonly tags: readonly string[];
}

/** Agents with a common configuration. */
export class FleetService {
  readonly #options: FleetServiceOptions;

  constructor(options: FleetServiceOptions) {
    this.#options = options;
  }

  async list(
    principal: Principal,
    projectID: string,
    filter: FleetFilter,
    page: Page,
  ): Promise<PageOf<store.FleetRowWithVersion>> {
    const { database, projects } = this.#options;
    await projects.requireProject(principal, projectID);
    return store.listFleets(database.read, database.engine, { projectID, ...filter }, page);
  }

  /** @throws Refusal not_found */
  async find(principal: Principal, id: string): Promise<store.FleetRowWithVersion> {
    return requireFleet(this.#options.database.read, principal, id);
  }

  /** @throws Refusal fleet_name_taken, too_many_fleets, invalid_fleet_config */
  async create(principal: Principal, projectID: string, input: CreateFleet) {
    const { database, projects, newID, audit, versions, onChange } = this.#options;
    await projects.requireProject(principal, projectID);
    const content = isFilled(input.rawConfig)
      ? await versions.prepare(
          { project_id: projectID },
          {
            rawConfig: input.rawConfig,
            configFormat: formatInBody(input.configFormat) ?? 'classic',
            files: [],
            note: input.note,
            skipConfigValidation: input.skipConfigValidation,
            minFluentBitVersion: input.minFluentBitVersion ?? '',
          },
        )
      : undefined;
    const id = newID();
    const created = await database.write.transaction().execute(async (trx) => {
      await this.lockNames(trx, projectID);
      const { row, version } = await this.createWithin(trx, principal, { id, projectID, input, content });
      await audit.record(trx, principal, {
        ...changeOf('fleet.created', row),
        after: { ...shownOf(row), version: version?.number ?? null },
      });
      await noteFleetChange(trx);
      return { id, versionID: version?.id ?? null, createdAt: row.created_at };
    });
    onChange(id);
    return created;
  }

  /** Serializes changes of the names of fleets of a project. The first lock of a transaction of the caller. */
  async lockNames(trx: Kysely<Tables>, projectID: string): Promise<void> {
    await this.#options.database.takeLock(trx, `fleets of ${projectID}`);
  }

  /** Inside a transaction of the caller, who has locked the names, records the change and notes it. @throws Refusal fleet_name_taken, too_many_fleets */
  async createWithin(
    trx: Kysely<Tables>,
    by: VersionAuthor,
    {
      id,
      projectID,
      input,
      content,
    }: {
      readonly id: string;
      readonly projectID: string;
      readonly input: CreateFleet;
      readonly content: CheckedContent | undefined;
    },
  ) {
    const { randomBytes, clock } = this.#options;
    if ((await store.countFleets(trx, projectID)) >= maxFleetsPerProject)
      throw new Refusal('too_many_fleets');
    await requireFreeName(trx, projectID, input.name);
    const now = clock();
    await store.insertFleet(trx, {
      id,
      project_id: projectID,
      name: input.name,
      minimum_version: input.minFluentBitVersion ?? '',
      tags: writeTags(input.tags ?? []),
      reporting: input.reporting ?? 'on',
      number: Buffer.from(randomBytes(6)).readUIntBE(0, 6),
      handle_key: Buffer.from(randomBytes(32)).toString('hex'),
      created_at: now,
      ...authorOf(by),
      updated_at: now,
    });
    const row = await this.#lock(trx, id);
    await noteEvent(trx, projectID, { type: 'fleet.created', fleetID: id, name: row.name });
    return { row, version: content && (await this.#serve(trx, by, row, content)) };
  }

  /** The fleet of a project with a name, inside a transaction of the caller who has locked the names. */
  async findNamed(trx: Kysely<Tables>, projectID: string, name: string): Promise<store.FleetRow | undefined> {
    const found = await store.findFleetNamed(trx, projectID, name);
    return found && (await this.#lock(trx, found.id));
  }

  /** A content for a fleet, which has its files; without an id, it is to be created. @throws Refusal invalid_fleet_config */
  async prepareWithin(
    trx: Kysely<Tables>,
    fleet: Partial<store.FleetRow> & Pick<store.FleetRow, 'project_id'>,
    {
      rawConfig,
      configFormat,
    }: { readonly rawConfig: string; readonly configFormat?: string | null | undefined },
  ): Promise<CheckedContent> {
    const { id, project_id, minimum_version: minFluentBitVersion = '' } = fleet;
    return this.#options.versions.prepare(id === undefined ? { project_id } : { id, project_id }, {
      rawConfig,
      configFormat: formatInBody(configFormat) ?? 'classic',
      files: id === undefined ? [] : await listFiles(trx, id),
      note: undefined,
      skipConfigValidation: false,
      minFluentBitVersion,
    });
  }

  /**
   * Gives a fleet a content inside a transaction of the caller, who has locked it, records the change and notes it. Undefined: it serves that already.
   *
   * @param isServed false: it only becomes a version, unless the fleet serves nothing yet
   */
  async changeWithin(
    trx: Kysely<Tables>,
    by: VersionAuthor,
    fleet: store.FleetRow,
    { content, reporting, isServed }: { content: CheckedContent; reporting: string; isServed: boolean },
  ): Promise<GivenContent | undefined> {
    const { clock, versions } = this.#options;
    const { id, name, project_id: projectID, current_version_id: currentID } = fleet;
    const current = currentID === null ? undefined : await findVersion(trx, currentID);
    const isOther = reporting !== fleet.reporting;
    if (current?.digest === digestOfContent(content) && !isOther) return undefined;
    const before = current?.number ?? null;
    if (current !== undefined && !isServed) {
      const { row, isNew } = await versions.add(trx, by, fleet, content);
      return { before, after: row.number, isServed: false, isNew };
    }
    const changed = { ...fleet, reporting };
    await store.updateFleet(trx, id, { reporting, updated_at: clock() });
    // A file that names all agents says by that what is to be done with a version marked bad.
    const given = { isRenewed: isOther, despiteBad: true };
    const { number: after } = await this.#serve(trx, by, changed, content, given);
    await noteEvent(trx, projectID, { type: 'fleet.updated', fleetID: id, name });
    return { before, after, isServed: true, isNew: true };
  }

  /** The last statement of a transaction of the caller, but for `noteCredentialChange`. */
  async noteChange(trx: Kysely<Tables>): Promise<void> {
    await noteFleetChange(trx);
  }

  /** @throws Refusal not_found, fleet_name_taken, invalid_fleet_config, fleet_version_bad, overloaded */
  async update(principal: Principal, id: string, input: UpdateFleet) {
    const updated = await untilUnchanged(() => this.#update(principal, id, input));
    this.#options.onChange(id);
    return updated;
  }

  async #update(principal: Principal, id: string, input: UpdateFleet) {
    const { database, clock, audit } = this.#options;
    const found = await requireFleet(database.read, principal, id);
    const content = isFilled(input.rawConfig)
      ? await this.#prepare(found, input, input.rawConfig)
      : undefined;
    const chosen = isGiven(input.versionID)
      ? await this.#requireVersion(found, input.versionID, content)
      : undefined;
    return database.write.transaction().execute(async (trx) => {
      await this.lockNames(trx, found.project_id);
      const stored = await this.#lock(trx, id);
      // The content has the files that the fleet had.
      if (content !== undefined && !isAsRead(stored, found)) return undefined;
      const now = clock();
      const change = describe(input);
      if (change.name !== undefined && change.name !== stored.name)
        await requireFreeName(trx, found.project_id, change.name);
      await store.updateFleet(trx, id, { ...change, updated_at: now });
      const changed = { ...stored, ...change };
      const isOther = changed.reporting !== stored.reporting;
      const given = { isRenewed: isOther, despiteBad: input.despiteBad };
      const version = chosen
        ? await this.#serveVersion(trx, changed, chosen, given)
        : content
          ? await this.#serve(trx, principal, changed, content, given)
          : isOther
            ? await this.#serveAgain(trx, changed)
            : undefined;
      const current = await findCurrentNumber(trx, stored);
      await noteEvent(trx, found.project_id, { type: 'fleet.updated', fleetID: id, name: changed.name });
      await audit.record(trx, principal, {
        ...changeOf('fleet.updated', changed),
        ...changedValues(
          { ...shownOf(stored), version: current },
          { ...shownOf(changed), version: version?.number ?? current },
        ),
      });
      await noteFleetChange(trx);
      return { updatedAt: now, versionID: version?.id ?? stored.current_version_id };
    });
  }

  /** Agents go on with what they have. @throws Refusal not_found */
  async delete(principal: Principal, id: string): Promise<number> {
    const { database, clock, audit, onChange } = this.#options;
    await requireFleet(database.read, principal, id);
    const now = clock();
    await database.write.transaction().execute(async (trx) => {
      const row = await this.#lock(trx, id);
      await store.updateFleet(trx, id, { deleted_at: now });
      await noteEvent(trx, row.project_id, { type: 'fleet.deleted', fleetID: id, name: row.name });
      await audit.record(trx, principal, { ...changeOf('fleet.deleted', row), before: shownOf(row) });
      await noteFleetChange(trx);
    });
    onChange(id);
    return now;
  }

  /** Removes what belongs to deleted agents and projects, and who got what in rollouts, and secrets, that ended before a time, in milliseconds. */
  async purge(before: number): Promise<void> {
    const { database, closing } = this.#options;
    await deleteInPortions(closing, (limit) => deleteFleetRows(database.write, before, limit));
  }

  /**
   * Serves a content that was derived from the current files of the fleet. If somebody else has changed them meanwhile, it is derived again.
   *
   * @param derive returns the content that is wanted, and what to do in the transaction before it is served
   */
  async changeContent(
    principal: Principal,
    id: string,
    derive: (fleet: store.FleetRowWithVersion) => Promise<DerivedContent>,
  ): Promise<void> {
    const { database, audit, onChange, clock } = this.#options;
    await untilUnchanged(async () => {
      const found = await requireFleet(database.read, principal, id);
      const { content, change } = await derive(found);
      return database.write.transaction().execute(async (trx) => {
        const row = await this.#lock(trx, id);
        if (!isAsRead(row, found)) return undefined;
        await change(trx);
        await store.updateFleet(trx, id, { updated_at: clock() });
        const version = content && (await this.#serve(trx, principal, row, content));
        await noteEvent(trx, row.project_id, { type: 'fleet.updated', fleetID: id, name: row.name });
        await audit.record(trx, principal, {
          ...changeOf('fleet.updated', row),
          before: { version: found.version_number },
          after: { version: version?.number ?? found.version_number },
        });
        await noteFleetChange(trx);
        return true;
      });
    });
    onChange(id);
  }

  async #prepare(
    fleet: store.FleetRowWithVersion,
    input: UpdateFleet,
    rawConfig: string,
  ): Promise<CheckedContent> {
    const stored = (fleet.config_format ?? 'classic') as FleetConfigFormat; // written by the service alone
    return this.#options.versions.prepare(fleet, {
      rawConfig,
      configFormat: formatInBody(input.configFormat) ?? stored,
      files: await listFiles(this.#options.database.read, fleet.id),
      note: input.note,
      skipConfigValidation: input.skipConfigValidation,
      minFluentBitVersion: input.minFluentBitVersion ?? fleet.minimum_version,
    });
  }

  /** All agents of the fleet get the content. If it is the one that they get, it keeps its date. */
  async #serve(
    trx: Kysely<Tables>,
    by: VersionAuthor,
    fleet: store.FleetRow,
    content: CheckedContent,
    given: HowGiven = {},
  ) {
    const { versions } = this.#options;
    const { row } = await versions.add(trx, by, fleet, content);
    await this.#give(trx, fleet, row, given);
    return row;
  }

  /** All agents of the fleet get a version that it has already, with its files. */
  async #serveVersion(trx: Kysely<Tables>, fleet: store.FleetRow, version: FleetVersionRow, given: HowGiven) {
    const { clock, newID } = this.#options;
    await replaceFiles(trx, fleet.id, filesOf(version), { now: clock(), newID });
    await this.#give(trx, fleet, version, given);
    return version;
  }

  /** @throws Refusal fleet_version_bad */
  async #give(
    trx: Kysely<Tables>,
    fleet: store.FleetRow,
    version: FleetVersionRow,
    { isRenewed = false, despiteBad }: HowGiven,
  ): Promise<void> {
    const isOther = version.id !== fleet.current_version_id;
    if (isOther) await requireGoodVersion(trx, version, despiteBad);
    if (isOther || isRenewed) await this.#publish(trx, fleet, version);
  }

  /** @throws Refusal not_found, invalid_body */
  async #requireVersion(
    fleet: store.FleetRow,
    versionID: string,
    content: CheckedContent | undefined,
  ): Promise<FleetVersionRow> {
    if (content !== undefined) {
      const message = 'must not be sent with rawConfig: choose one of the two';
      throw new Refusal('invalid_body', { fields: [{ path: '/versionID', message }] });
    }
    const version = await findVersion(this.#options.database.read, versionID);
    if (version !== undefined && version.fleet_id === fleet.id) return version;
    throw new Refusal('not_found', {
      detail: `The fleet '${fleet.name}' has no version ${versionID}. List its versions.`,
    });
  }

  /** What surrounds the configuration has changed: agents must get it again. */
  async #serveAgain(trx: Kysely<Tables>, fleet: store.FleetRow) {
    const row =
      fleet.current_version_id === null ? undefined : await findVersion(trx, fleet.current_version_id);
    if (row !== undefined) await this.#publish(trx, fleet, row);
    return row;
  }

  async #publish(
    trx: Kysely<Tables>,
    { id, name, project_id: projectID }: store.FleetRow,
    version: FleetVersionRow,
  ): Promise<void> {
    const { publications, clock } = this.#options;
    await requireValues(trx, version);
    const now = clock();
    const made = await publications.publish(trx, { projectID, fleetID: id, versionID: version.id, now });
    await publications.makeCurrent(trx, made, now);
    await supersedeRollouts(trx, id, now);
    await noteEvent(trx, projectID, {
      type: 'fleet.version_published',
      fleetID: id,
      name,
      version: version.number,
    });
  }

  /** @throws Refusal not_found */
  async #lock(trx: Kysely<Tables>, id: string): Promise<store.FleetRow> {
    const row = await store.lockFleet(trx, this.#options.database.engine, id);
    if (row === undefined) throw fleetNotFound(id);
    return row;
  }
}

/** `isRenewed`: agents get it again also if it is the one that they have. */
interface HowGiven {
  readonly isRenewed?: boolean;
  readonly despiteBad?: boolean | null | undefined;
}

/** What became of a content that was given to a fleet. Numbers of versions. */
interface GivenContent {
  readonly before: number | null;
  readonly after: number;
  /** False: it is a version that nobody gets yet. */
  readonly isServed: boolean;
  readonly isNew: boolean;
}

export interface DerivedContent {
  /** Undefined: the fleet serves nothing yet, and goes on to do so. */
  readonly content: CheckedContent | undefined;
  readonly change: (trx: Kysely<Tables>) => Promise<void>;
}

/** @throws Refusal fleet_name_taken */
async function requireFreeName(trx: Kysely<Tables>, projectID: string, name: string): Promise<void> {
  const other = await store.findFleetNamed(trx, projectID, name);
  if (other === undefined) return;
  throw new Refusal('fleet_name_taken', {
    detail: `The fleet ${other.id} of this project is called '${name}'. Choose another name, or change that one.`,
    fields: [{ path: '/name', message: `'${name}' is the name of the fleet ${other.id}` }],
  });
}

async function findCurrentNumber(trx: Kysely<Tables>, fleet: store.FleetRow): Promise<number | null> {
  if (fleet.current_version_id === null) return null;
  return (await findVersion(trx, fleet.current_version_id))?.number ?? null;
}

function describe(input: UpdateFleet): Partial<store.FleetRow> {
  const { name, tags, minFluentBitVersion, reporting } = input;
  return {
    ...(isGiven(name) && { name }),
    ...(isGiven(tags) && { tags: writeTags(tags) }),
    ...(isGiven(minFluentBitVersion) && { minimum_version: minFluentBitVersion }),
    ...(isGiven(reporting) && { reporting }),
  };
}

function writeTags(tags: readonly string[]): string {
  return JSON.stringify(tags.map((tag) => redactKnownSecrets(tag)));
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== undefined && value !== null;
}

/** Older clients send an empty configuration for one that they do not set. */
function isFilled(text: string | null | undefined): text is string {
  return isGiven(text) && text !== '';
}

/** For the audit log. */
function changeOf(
  action: AuditChange['action'],
  { id, name, project_id: projectID }: store.FleetRow,
): AuditChange {
  return { projectID, action, target: { kind: 'fleet', id, name } };
}

function shownOf({ name, tags, minimum_version, reporting }: store.FleetRow) {
  return { name, tags: JSON.parse(tags), minFluentBitVersion: minimum_version, reporting };
}
