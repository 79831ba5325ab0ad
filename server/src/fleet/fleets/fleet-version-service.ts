import type {
  CreateFleetVersion,
  FleetConfigFinding,
  FleetConfigFormat,
  ValidateFleetConfig,
} from '@muster/contract';
import { redactKnownSecrets } from '@muster/redaction';
import type { Kysely } from 'kysely';
import type { Clock, NewID } from '../../foundation/clock.ts';
import { hasPartIn, type Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { noteEvent } from '../../foundation/database/note-event.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type ConfigDifference, diffConfigs } from '../../foundation/diff-configs.ts';
import { type Page, type PageOf, toPage } from '../../foundation/list-page.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { PacedTurns } from '../../foundation/scheduling/paced-turns.ts';
import type { AuditService } from '../../record/audit/audit-service.ts';
import type { FleetConfigChecker } from './check-fleet-config.ts';
import { formatInBody } from './config-format.ts';
import { fleetNotFound, isAsRead, requireFleet, untilUnchanged } from './fleet-access.ts';
import {
  compareFiles,
  digestOfContent,
  type FileOfVersion,
  fileOf,
  filesOf,
  inOrderOfNames,
} from './fleet-content.ts';
import { listFiles } from './fleet-file-store.ts';
import { type FleetRow, findFleet, lockFleet, updateFleet } from './fleet-store.ts';
import * as store from './fleet-version-store.ts';
import { readFileContents, requireFileRoom } from './read-file-contents.ts';
import { loadKnownVariables } from './values/load-values.ts';
import { authorOf, type VersionAuthor } from './version-author.ts';

interface FleetVersionServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'record'>;
  readonly checker: FleetConfigChecker;
}

/** A content that was checked, with the bytes of those of its files that came with it. */
export interface CheckedContent {
  readonly rawConfig: string;
  readonly configFormat: FleetConfigFormat;
  readonly files: readonly FileOfVersion[];
  readonly newFiles: readonly { readonly digest: string; readonly bytes: Uint8Array }[];
  readonly findings: readonly FleetConfigFinding[];
  readonly note: string | null;
}

/** A configuration as somebody wants it. Absent files: those that the fleet has. */
export interface WantedContent {
  readonly rawConfig: string;
  readonly configFormat: FleetConfigFormat;
  readonly files: readonly WantedFile[];
  readonly note?: string | null | undefined;
  readonly skipConfigValidation?: boolean | null | undefined;
  readonly minFluentBitVersion: string;
}

/** Its bytes come with it, or are stored. */
type WantedFile = FileOfVersion & { readonly contents?: Uint8Array | undefined };

/** `id` is absent if it is being created, so that nothing is set for it. */
interface CheckedFleet {
  readonly id?: string;
  readonly project_id: string;
}

const nothingSet = { vars: new Set<string>(), partial: new Set<string>(), secrets: new Set<string>() };

/** Immutable versions of the configurations of fleets. */
export class FleetVersionService {
  readonly #options: FleetVersionServiceOptions;
  readonly #turns = new PacedTurns();

  constructor(options: FleetVersionServiceOptions) {
    this.#options = options;
  }

  async list(
    principal: Principal,
    fleetID: string,
    page: Page,
  ): Promise<{
    readonly page: PageOf<store.ListedVersionRow>;
    readonly currentID: string | null;
    readonly failed: ReadonlySet<string>;
  }> {
    const { read } = this.#options.database;
    const fleet = await requireFleet(read, principal, fleetID);
    const rows = await store.listVersions(read, fleetID, page);
    const failed = await store.listFailedVersions(
      read,
      rows.map(({ id }) => id),
    );
    return { page: toPage(rows, page), currentID: fleet.current_version_id, failed };
  }

  /** @throws Refusal not_found */
  async find(principal: Principal, id: string) {
    const { read } = this.#options.database;
    const row = await store.findVersion(read, id);
    const fleet = row === undefined ? undefined : await findFleet(read, row.fleet_id);
    if (row === undefined || fleet === undefined || !hasPartIn(principal, row.project_id)) throw notFound(id);
    const isBad = (await store.listFailedVersions(read, [id])).has(id);
    return { row, isCurrent: fleet.current_version_id === row.id, isBad };
  }

  /** Checks and stores a version that no agent gets by this. If it is equal to the newest one, that one is the answer. */
  create(principal: Principal, fleetID: string, input: CreateFleetVersion) {
    return untilUnchanged(() => this.#create(principal, fleetID, input));
  }

  async #create(principal: Principal, fleetID: string, input: CreateFleetVersion) {
    const { database, audit } = this.#options;
    const fleet = await requireFleet(database.read, principal, fleetID);
    const content = await this.prepare(fleet, {
      rawConfig: input.rawConfig,
      configFormat: formatInBody(input.configFormat) ?? 'classic',
      files: await this.#filesOf(fleetID, input.files),
      note: input.note,
      skipConfigValidation: input.skipConfigValidation,
      minFluentBitVersion: fleet.minimum_version,
    });
    const row = await database.write.transaction().execute(async (trx) => {
      const locked = await lockFleet(trx, database.engine, fleetID);
      if (locked === undefined) throw fleetNotFound(fleetID);
      // Without files, it has those that the fleet had.
      if (isAbsent(input.files) && !isAsRead(locked, fleet)) return undefined;
      const { row, isNew } = await this.add(trx, principal, locked, content);
      if (isNew) await audit.record(trx, principal, versionCreated(locked, row));
      return row;
    });
    if (row === undefined) return undefined;
    // It may be one of before.
    const isBad = (await store.listFailedVersions(database.read, [row.id])).has(row.id);
    return { row, isCurrent: row.id === fleet.current_version_id, isBad };
  }

  /** @throws Refusal not_found, overloaded */
  async validate(principal: Principal, fleetID: string, input: ValidateFleetConfig) {
    const { database, checker } = this.#options;
    const fleet = await requireFleet(database.read, principal, fleetID);
    const wanted = {
      rawConfig: input.rawConfig ?? fleet.raw_config ?? '',
      configFormat:
        formatInBody(input.configFormat) ?? ((fleet.config_format ?? 'classic') as FleetConfigFormat), // written by the service alone
      files: await this.#filesOf(fleetID, input.files),
      skipConfigValidation: input.skipConfigValidation,
      minFluentBitVersion: fleet.minimum_version,
    };
    const bytes = wanted.files.reduce((sum, file) => sum + file.bytes, wanted.rawConfig.length);
    const { findings } = await checker.validate(principal, bytes, () => this.#check(fleet, wanted));
    return findings;
  }

  /** Compares a version with another one of the project; without one, with the one before. @throws Refusal not_found */
  async compare(principal: Principal, id: string, againstID: string | undefined) {
    const { read } = this.#options.database;
    const { row: to } = await this.find(principal, id);
    const from =
      againstID === undefined
        ? await store.findNewestVersion(read, to.fleet_id, to.number)
        : (await this.find(principal, againstID)).row;
    if (from !== undefined && from.project_id !== to.project_id) throw notFound(from.id);
    const difference: ConfigDifference = await this.#turns.run(() =>
      diffConfigs(from?.raw_config ?? '', to.raw_config),
    );
    return { from, to, difference, files: compareFiles(filesOf(from), filesOf(to)) };
  }

  /** Checks a content. @throws Refusal invalid_fleet_config, fleet_files_quota_exceeded */
  async prepare(fleet: CheckedFleet, wanted: WantedContent): Promise<CheckedContent> {
    const { findings, newFiles } = await this.#check(fleet, wanted);
    const errors = findings.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) throw invalidConfig(errors);
    const { rawConfig, configFormat, files, note } = wanted;
    return {
      rawConfig,
      configFormat,
      files: inOrderOfNames(files.map(({ name, digest, bytes }) => ({ name, digest, bytes }))),
      newFiles,
      findings,
      note: note === undefined || note === null || note === '' ? null : redactKnownSecrets(note),
    };
  }

  /** Inside a transaction of the caller, who has locked the fleet and records the change. If the newest version is equal, it is that one. */
  async add(
    trx: Kysely<Tables>,
    by: VersionAuthor,
    fleet: FleetRow,
    content: CheckedContent,
  ): Promise<{ readonly row: store.FleetVersionRow; readonly isNew: boolean }> {
    const { clock, newID } = this.#options;
    const digest = digestOfContent(content);
    const newest = await store.findNewestVersion(trx, fleet.id);
    if (newest?.digest === digest) return { row: newest, isNew: false };
    const row = {
      id: newID(),
      fleet_id: fleet.id,
      project_id: fleet.project_id,
      number: fleet.newest_number + 1,
      raw_config: content.rawConfig,
      config_format: content.configFormat,
      files: JSON.stringify(content.files),
      digest,
      note: content.note,
      findings: JSON.stringify(content.findings),
      learned_structure: null,
      learned_text_digest: null,
      created_at: clock(),
      ...authorOf(by),
    };
    await store.insertContents(trx, fleet.project_id, content.newFiles);
    await store.insertVersion(trx, row);
    await updateFleet(trx, fleet.id, { newest_number: row.number });
    await noteEvent(trx, fleet.project_id, {
      type: 'fleet.version_created',
      fleetID: fleet.id,
      name: fleet.name,
      version: row.number,
    });
    return { row, isNew: true };
  }

  async #check({ id, project_id: projectID }: CheckedFleet, { files, ...wanted }: WantedContent) {
    requireFileRoom(files);
    const { database, checker } = this.#options;
    const missing = files.flatMap(({ digest, contents }) => (contents === undefined ? [digest] : []));
    const stored = await store.readContents(database.read, database.engine, projectID, missing);
    const findings = await checker.check({
      ...wanted,
      files: files.map(({ name, digest, contents }) => ({
        name,
        bytes: contents ?? stored.get(digest) ?? new Uint8Array(),
      })),
      skipNames: wanted.skipConfigValidation ?? false,
      variables: id === undefined ? nothingSet : await loadKnownVariables(database.read, id),
    });
    const newFiles = files.flatMap(({ digest, contents: bytes }) =>
      bytes === undefined ? [] : [{ digest, bytes }],
    );
    return { findings, newFiles };
  }

  async #filesOf(
    fleetID: string,
    given: readonly { readonly name: string; readonly contents: string }[] | null | undefined,
  ): Promise<WantedFile[]> {
    if (isAbsent(given)) return listFiles(this.#options.database.read, fleetID);
    return given.map(({ name, contents }, index) => {
      const bytes = readFileContents(contents, `/files/${index}/contents`);
      return { ...fileOf(name, bytes), contents: bytes };
    });
  }
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** For the audit log: never the configuration. */
function versionCreated(fleet: FleetRow, row: store.FleetVersionRow) {
  return {
    projectID: fleet.project_id,
    action: 'fleet.version_created',
    target: { kind: 'fleet', id: fleet.id, name: fleet.name },
    after: { version: row.number, note: row.note },
  } as const;
}

function notFound(id: string): Refusal {
  return new Refusal('not_found', {
    detail: `There is no version ${id} of a fleet that this credential can see.`,
  });
}

const maxShownErrors = 20;

function invalidConfig(errors: readonly FleetConfigFinding[]): Refusal {
  const described = errors.slice(0, maxShownErrors).map(describeFinding);
  return new Refusal('invalid_fleet_config', {
    detail: described.join(' '),
    fields: errors.slice(0, maxShownErrors).map((finding) => ({
      path: finding.file === undefined ? '/rawConfig' : '/files',
      message: describeFinding(finding),
    })),
  });
}

function describeFinding({ message, remedy, line, file }: FleetConfigFinding): string {
  const place = [file, line === undefined ? undefined : `line ${line}`].filter((part) => part !== undefined);
  return [place.length === 0 ? undefined : `${place.join(', ')}:`, message, remedy]
    .filter((part) => part !== undefined)
    .join(' ');
}
