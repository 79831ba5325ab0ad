import type { CreateFleetFile, FleetConfigFormat, UpdateFleetFile } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { Clock, NewID } from '../../foundation/clock.ts';
import { hasPartIn, type Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type Page, type PageOf, takeFitting } from '../../foundation/list-page.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { requireFleet } from './fleet-access.ts';
import { fileOf } from './fleet-content.ts';
import * as store from './fleet-file-store.ts';
import type { FleetService } from './fleet-service.ts';
import { type FleetRowWithVersion, findFleet } from './fleet-store.ts';
import type { FleetVersionService, WantedContent } from './fleet-version-service.ts';
import { insertContents, readContents } from './fleet-version-store.ts';
import { readFileContents, requireFileRoom } from './read-file-contents.ts';

interface FleetFileServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly fleets: Pick<FleetService, 'changeContent'>;
  readonly versions: Pick<FleetVersionService, 'prepare'>;
}

export interface FileWithContents extends store.FleetFileRow {
  readonly contents: Uint8Array;
}

type WantedFile = WantedContent['files'][number];

const maxPageBytes = 4 * 1024 * 1024;

/** Files that agents get beside their configuration. Each change of one is a version of the fleet. */
export class FleetFileService {
  readonly #options: FleetFileServiceOptions;

  constructor(options: FleetFileServiceOptions) {
    this.#options = options;
  }

  async list(principal: Principal, fleetID: string, page: Page): Promise<PageOf<FileWithContents>> {
    const { read } = this.#options.database;
    const fleet = await requireFleet(read, principal, fleetID);
    const rows = await store.listFilePage(read, fleetID, page);
    const { ids, hasNext } = takeFitting(rows, page, maxPageBytes);
    return { rows: await this.#withContents(fleet.project_id, rows.slice(0, ids.length)), hasNext };
  }

  /** @throws Refusal not_found */
  async find(principal: Principal, id: string): Promise<FileWithContents> {
    const { file, fleet } = await this.#require(principal, id);
    const [found] = await this.#withContents(fleet.project_id, [file]);
    if (found === undefined) throw notFound(id);
    return found;
  }

  /** @throws Refusal fleet_file_name_taken, fleet_file_too_large, fleet_files_quota_exceeded, invalid_fleet_config */
  async create(principal: Principal, fleetID: string, { name, contents }: CreateFleetFile) {
    const { clock, newID } = this.#options;
    const bytes = readFileContents(contents, '/contents');
    const id = newID();
    const now = clock();
    const file = { ...fileOf(name, bytes), contents: bytes };
    await this.#change(principal, fleetID, {
      derive: (files) => {
        requireFreeName(files, name);
        return [...files, file];
      },
      async write(trx, { project_id: projectID }) {
        const { digest, bytes: size } = file;
        await insertContents(trx, projectID, [{ digest, bytes }]);
        await store.insertFile(trx, {
          id,
          fleet_id: fleetID,
          name,
          digest,
          bytes: size,
          created_at: now,
          updated_at: now,
        });
      },
    });
    return { id, createdAt: now };
  }

  async update(principal: Principal, id: string, { name, contents }: UpdateFleetFile): Promise<void> {
    const { clock } = this.#options;
    const { file: stored, fleet } = await this.#require(principal, id);
    const bytes =
      contents === undefined || contents === null ? undefined : readFileContents(contents, '/contents');
    const newName = name ?? stored.name;
    const { digest, bytes: size } =
      bytes === undefined ? { digest: stored.digest, bytes: stored.bytes } : fileOf(newName, bytes);
    await this.#change(principal, fleet.id, {
      derive: (files) => {
        const others = files.filter((one) => one.name !== stored.name);
        requireFreeName(others, newName);
        return [...others, { name: newName, digest, bytes: size, contents: bytes }];
      },
      async write(trx, { project_id: projectID }) {
        if (bytes !== undefined) await insertContents(trx, projectID, [{ digest, bytes }]);
        await store.updateFile(trx, id, { name: newName, digest, bytes: size, updated_at: clock() });
      },
    });
  }

  async delete(principal: Principal, id: string): Promise<void> {
    const { file, fleet } = await this.#require(principal, id);
    await this.#change(principal, fleet.id, {
      derive: (files) => files.filter(({ name }) => name !== file.name),
      write: (trx) => store.deleteFile(trx, id),
    });
  }

  async #change(
    principal: Principal,
    fleetID: string,
    change: {
      readonly derive: (files: readonly WantedFile[]) => readonly WantedFile[];
      readonly write: (trx: Kysely<Tables>, fleet: FleetRowWithVersion) => Promise<void>;
    },
  ): Promise<void> {
    const { database, fleets, versions } = this.#options;
    await fleets.changeContent(principal, fleetID, async (fleet) => {
      const files = change.derive(await store.listFiles(database.read, fleetID));
      requireFileRoom(files);
      // A fleet that serves nothing yet gets its files checked with its first configuration.
      const content =
        fleet.raw_config === null
          ? undefined
          : await versions.prepare(fleet, {
              rawConfig: fleet.raw_config,
              configFormat: fleet.config_format as FleetConfigFormat, // written by the service alone
              files,
              minFluentBitVersion: fleet.minimum_version,
              // What it serves was accepted once.
              skipConfigValidation: true,
            });
      return { content, change: (trx) => change.write(trx, fleet) };
    });
  }

  async #require(principal: Principal, id: string) {
    const { read } = this.#options.database;
    const file = await store.findFile(read, id);
    const fleet = file === undefined ? undefined : await findFleet(read, file.fleet_id);
    if (file === undefined || fleet === undefined || !hasPartIn(principal, fleet.project_id))
      throw notFound(id);
    return { file, fleet };
  }

  async #withContents(projectID: string, rows: readonly store.FleetFileRow[]): Promise<FileWithContents[]> {
    const { database } = this.#options;
    const digests = rows.map(({ digest }) => digest);
    const contents = await readContents(database.read, database.engine, projectID, digests);
    return rows.map((row) => ({ ...row, contents: contents.get(row.digest) ?? new Uint8Array() }));
  }
}

/** @throws Refusal fleet_file_name_taken */
function requireFreeName(files: readonly WantedFile[], name: string): void {
  if (!files.some((file) => file.name === name)) return;
  throw new Refusal('fleet_file_name_taken', {
    detail: `The fleet has a file '${name}' already. Choose another name, or change that file.`,
    fields: [{ path: '/name', message: `'${name}' is the name of another file of the fleet` }],
  });
}

function notFound(id: string): Refusal {
  return new Refusal('not_found', {
    detail: `There is no file ${id} of a fleet that this credential can see.`,
  });
}
