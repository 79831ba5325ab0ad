import { hash } from 'node:crypto';
import {
  type CreateCoreInstance,
  defaultCoreInstanceGraceSeconds,
  formatToken,
  maxCoreInstancesPerProject,
  type UpdateCoreInstance,
} from '@muster/contract';
import { redactKnownSecrets, redactValues } from '@muster/redaction';
import type { Kysely, Updateable } from 'kysely';
import type { SiteAgentsService } from '../fleet/agents/liveness/site-agents-service.ts';
import type { ProjectService } from '../fleet/projects/project-service.ts';
import type { Clock, NewID } from '../foundation/clock.ts';
import { noteCredentialChange } from '../foundation/credentials/credential-freshness.ts';
import {
  actorOf,
  type CoreInstancePrincipal,
  hasPartIn,
  nameOf,
  type Principal,
  type ProjectTokenPrincipal,
} from '../foundation/credentials/principal.ts';
import type { Database } from '../foundation/database/database.ts';
import { deleteInPortions } from '../foundation/database/delete-in-portions.ts';
import { noteEvent } from '../foundation/database/note-event.ts';
import type { Tables } from '../foundation/database/tables.ts';
import { type Page, type PageOf, toPage } from '../foundation/list-page.ts';
import { Refusal } from '../foundation/refusal.ts';
import { type RandomBytes, Secret } from '../foundation/secret.ts';
import { type AuditChange, type AuditService, changedValues } from '../record/audit/audit-service.ts';
import { type Hearing, hearingAt, lagSeconds } from './core-instance.ts';
import type { CoreInstanceCredentials } from './core-instance-credentials.ts';
import * as store from './core-instance-store.ts';

interface CoreInstanceServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly randomBytes: RandomBytes;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  readonly audit: Pick<AuditService, 'record'>;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly credentials: Pick<CoreInstanceCredentials, 'forget'>;
  readonly siteAgents: Pick<SiteAgentsService, 'markKnown'>;
  readonly listening: { readonly since: number };
}

/** A core instance that was just created or got another token, with the only copy of its value. */
export interface CoreInstanceWithSecret {
  readonly row: store.CountedCoreInstance;
  readonly secret: Secret;
}

interface Changed {
  readonly row: store.CoreInstanceRow;
  readonly secret: Secret;
}

/** Musters at sites. */
export class CoreInstanceService {
  readonly #options: CoreInstanceServiceOptions;

  constructor(options: CoreInstanceServiceOptions) {
    this.#options = options;
  }

  /** @throws Refusal core_instance_name_taken, too_many_core_instances */
  async create(principal: ProjectTokenPrincipal, input: CreateCoreInstance): Promise<CoreInstanceWithSecret> {
    const { database, credentials } = this.#options;
    const { projectID } = principal;
    const keyDigest = isGiven(input.instanceKey) ? hash('sha256', input.instanceKey) : null;
    const created = await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, instancesOf(projectID));
      const known = keyDigest === null ? undefined : await findOwn(trx, projectID, keyDigest, input.name);
      return known === undefined
        ? this.#insert(trx, principal, input, keyDigest)
        : this.#join(trx, principal, { ...known, key_digest: keyDigest }, input);
    });
    credentials.forget(created.row.id);
    return { ...created, row: await this.find(principal, created.row.id) };
  }

  async list(
    principal: Principal,
    filter: store.CoreInstanceFilter,
    page: Page,
  ): Promise<PageOf<store.CountedCoreInstance>> {
    const { database, projects } = this.#options;
    await projects.requireProject(principal, filter.projectID);
    const rows = await store.listCoreInstances(database.read, database.engine, filter, page, this.hearing());
    return toPage(rows, page);
  }

  /** What core instances are judged by now. */
  hearing(): Hearing {
    const { clock, listening } = this.#options;
    return hearingAt(clock(), listening.since);
  }

  /** @throws Refusal not_found, core_instance_deleted */
  async find(principal: Principal, id: string): Promise<store.CountedCoreInstance> {
    const row = await store.findCoreInstance(this.#options.database.read, id);
    if (row === undefined || !hasPartInCoreInstance(principal, row)) throw notFound(id);
    if (row.deleted_at !== null) throw new Refusal('core_instance_deleted');
    return row;
  }

  /** @throws Refusal not_found, core_instance_deleted, core_instance_name_taken */
  async update(
    principal: Principal,
    id: string,
    input: UpdateCoreInstance,
  ): Promise<store.CountedCoreInstance> {
    const { database, clock, audit, credentials } = this.#options;
    const { project_id: projectID } = await this.find(principal, id);
    await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, instancesOf(projectID));
      const stored = await this.#lock(trx, id);
      const change = describe(input);
      if (change.name !== undefined && change.name !== stored.name)
        await requireFreeName(trx, projectID, change.name);
      await store.updateCoreInstance(trx, id, { ...change, updated_at: clock() });
      const changed = { ...stored, ...change };
      await noteChange(trx, 'core_instance.updated', changed);
      await audit.record(trx, principal, {
        ...changeOf('core_instance.updated', stored),
        ...changedValues(shownOf(stored), shownOf(changed)),
      });
    });
    credentials.forget(id);
    return this.find(principal, id);
  }

  /** From now on it gets 410. Its row is kept for this answer. @throws Refusal not_found, core_instance_deleted */
  async delete(principal: Principal, id: string): Promise<void> {
    const { database, clock, audit, credentials, siteAgents } = this.#options;
    await this.find(principal, id);
    await database.write.transaction().execute(async (trx) => {
      const row = await this.#lock(trx, id);
      await store.updateCoreInstance(trx, id, { deleted_at: clock() });
      // Nobody speaks for its agents now: they are judged by themselves.
      await siteAgents.markKnown(trx, row);
      await noteChange(trx, 'core_instance.deleted', row);
      await audit.record(trx, principal, {
        ...changeOf('core_instance.deleted', row),
        before: shownOf(row),
      });
      await noteCredentialChange(trx);
    });
    credentials.forget(id);
  }

  /**
   * Ends its token as soon as it has used another one, which it gets with `rotateOwn`, and at the latest after a time. Nobody gets the value that stands
   * in between. @throws Refusal not_found, core_instance_deleted
   */
  async rotate(
    principal: Principal,
    id: string,
    graceSeconds = defaultCoreInstanceGraceSeconds,
  ): Promise<store.CountedCoreInstance> {
    await this.find(principal, id);
    const { row } = await this.#rotate(principal, id, (stored, now) => {
      const isAccepted = stored.revoked_at === null && graceSeconds > 0;
      return {
        // If it has not used the current token yet, it may not have it.
        ...(stored.earlier_retires === 0 && { earlier_digest: stored.digest }),
        earlier_ends_at: isAccepted ? now + graceSeconds * 1_000 : now,
        earlier_retires: isAccepted ? 1 : 0,
      };
    });
    return row;
  }

  /**
   * Gives the core instance of the request another token. If the one of the request was rotated, and its successor was never used, that one is replaced:
   * an operator has rotated it, or an answer of this was lost. Then the token of the request lasts no longer than it did.
   *
   * @throws Refusal core_instance_deleted, rotated_credential
   */
  async rotateOwn(
    principal: CoreInstancePrincipal,
    graceSeconds = defaultCoreInstanceGraceSeconds,
  ): Promise<CoreInstanceWithSecret> {
    return this.#rotate(principal, principal.coreInstanceID, (row, now) => {
      if (row.revoked_at !== null) throw new Refusal('revoked_credential');
      // What stands in the row, and not what the token was when the request was admitted: the same request may have come twice.
      if (row.digest === principal.digest) {
        return {
          earlier_digest: row.digest,
          earlier_ends_at: now + graceSeconds * 1_000,
          earlier_retires: 1,
        };
      }
      // Its successor was used: whoever still has only this one is not to get another.
      if (row.earlier_digest !== principal.digest || row.earlier_retires === 0)
        throw new Refusal('rotated_credential');
      return {};
    });
  }

  /** How many there are in each state, and for how long something has been waiting at one. @param projectID absent: of all projects */
  async readFigures(projectID?: string) {
    const { database, clock } = this.#options;
    const now = clock();
    const { oldestSpooledAt, ...figures } = await store.readFigures(database.read, this.hearing(), projectID);
    return { ...figures, maxLagSeconds: lagSeconds(oldestSpooledAt, now) };
  }

  /** Removes those of deleted projects. */
  async purge(): Promise<void> {
    const { closing, database } = this.#options;
    await deleteInPortions(closing, (limit) => store.deleteOfDeletedProjects(database.write, limit));
  }

  async #insert(
    trx: Kysely<Tables>,
    principal: ProjectTokenPrincipal,
    input: CreateCoreInstance,
    keyDigest: string | null,
  ): Promise<Changed> {
    const { clock, newID, audit } = this.#options;
    const { projectID } = principal;
    if ((await store.countCoreInstances(trx, projectID)) >= maxCoreInstancesPerProject)
      throw new Refusal('too_many_core_instances');
    const described = describe(input);
    const name = described.name ?? this.#newName();
    await requireFreeName(trx, projectID, name);
    const secret = this.#newSecret();
    const now = clock();
    const { kind: byKind, id: byID } = actorOf(principal);
    const id = newID();
    await store.insertCoreInstance(trx, {
      tags: '[]',
      metadata: '{}',
      ...described,
      id,
      project_id: projectID,
      name,
      version: readVersion(input),
      key_digest: keyDigest,
      digest: secret.digest(),
      last_four: secret.lastFour(),
      created_at: now,
      created_by_kind: byKind,
      created_by_id: byID,
      created_by_name: nameOf(principal),
      updated_at: now,
    });
    const row = await this.#lock(trx, id);
    await noteChange(trx, 'core_instance.created', row);
    await audit.record(trx, principal, { ...changeOf('core_instance.created', row), after: shownOf(row) });
    return { row, secret };
  }

  /** The answer that created it was lost, or its state is there and its token is not, or a person created it for this one. */
  async #join(
    trx: Kysely<Tables>,
    principal: ProjectTokenPrincipal,
    known: store.CoreInstanceRow,
    input: CreateCoreInstance,
  ): Promise<Changed> {
    const { clock, audit } = this.#options;
    const secret = this.#newSecret();
    const now = clock();
    await store.updateCoreInstance(trx, known.id, {
      ...(isGiven(input.version) && { version: readVersion(input) }),
      ...replaced(secret, now),
      key_digest: known.key_digest,
      earlier_digest: known.digest,
      earlier_ends_at: now,
      earlier_retires: 0,
      updated_at: now,
    });
    await noteChange(trx, 'core_instance.rotated', known);
    await audit.record(trx, principal, {
      ...changeOf('core_instance.rotated', known),
      after: { by: 'instanceKey', graceSeconds: 0 },
    });
    await noteCredentialChange(trx);
    return { row: await this.#lock(trx, known.id), secret };
  }

  async #rotate(
    principal: Principal,
    id: string,
    planEarlier: (row: store.CoreInstanceRow, now: number) => Updateable<Tables['core_instances']>,
  ): Promise<CoreInstanceWithSecret> {
    const { database, clock, audit, credentials } = this.#options;
    const rotated = await database.write.transaction().execute(async (trx) => {
      const stored = await this.#lock(trx, id);
      const secret = this.#newSecret();
      const now = clock();
      const earlier = planEarlier(stored, now);
      await store.updateCoreInstance(trx, id, { ...replaced(secret, now), ...earlier, updated_at: now });
      const row = await this.#lock(trx, id);
      await noteChange(trx, 'core_instance.rotated', row);
      await audit.record(trx, principal, {
        ...changeOf('core_instance.rotated', row),
        after: { graceSeconds: Math.max(0, Math.ceil(((row.earlier_ends_at ?? now) - now) / 1_000)) },
      });
      await noteCredentialChange(trx);
      return { row, secret };
    });
    credentials.forget(id);
    return { ...rotated, row: await this.find(principal, id) };
  }

  /** @throws Refusal core_instance_deleted */
  async #lock(trx: Kysely<Tables>, id: string): Promise<store.CoreInstanceRow> {
    const row = await store.lockCoreInstance(trx, this.#options.database.engine, id);
    if (row === undefined || row.deleted_at !== null) throw new Refusal('core_instance_deleted');
    return row;
  }

  #newSecret(): Secret {
    return new Secret(formatToken('core_instance', this.#options.randomBytes(32)));
  }

  #newName(): string {
    return `core-instance-${Buffer.from(this.#options.randomBytes(4)).toString('hex')}`;
  }
}

/** A core instance has a part in itself alone. */
function hasPartInCoreInstance(principal: Principal, row: store.CoreInstanceRow): boolean {
  return principal.kind === 'core_instance'
    ? principal.coreInstanceID === row.id
    : hasPartIn(principal, row.project_id);
}

/** The lock that serializes changes of names and keys in a project. */
function instancesOf(projectID: string): string {
  return `core instances of ${projectID}`;
}

/** @throws Refusal core_instance_name_taken */
async function requireFreeName(trx: Kysely<Tables>, projectID: string, name: string): Promise<void> {
  const other = await store.findByName(trx, projectID, name);
  if (other === undefined) return;
  throw new Refusal('core_instance_name_taken', {
    detail: `The core instance ${other.id} of this project is called '${name}'. Choose another name. If it is the same one and its state folder was lost, delete that one first: muster core-instance delete ${name}`,
  });
}

function replaced(secret: Secret, now: number) {
  return { digest: secret.digest(), last_four: secret.lastFour(), rotated_at: now, revoked_at: null };
}

function describe({ name, tags, metadata }: UpdateCoreInstance) {
  return {
    ...(isGiven(name) && { name: redactKnownSecrets(name) }),
    ...(isGiven(tags) && { tags: JSON.stringify(tags.map((tag) => redactKnownSecrets(tag))) }),
    ...(isGiven(metadata) && { metadata: JSON.stringify(redactValues(metadata)) }),
  };
}

function readVersion({ version }: CreateCoreInstance): string | null {
  return isGiven(version) ? redactKnownSecrets(version) : null;
}

/** The one with this key. Otherwise, the one with this name that was created without a key and was never heard: it waits for the first that joins with its name. */
async function findOwn(
  trx: Kysely<Tables>,
  projectID: string,
  keyDigest: string,
  name: string | null | undefined,
): Promise<store.CoreInstanceRow | undefined> {
  const known = await store.findByKey(trx, projectID, keyDigest);
  if (known !== undefined || !isGiven(name)) return known;
  const named = await store.findByName(trx, projectID, name);
  return named?.key_digest === null && named.last_contact_at === null ? named : undefined;
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== undefined && value !== null;
}

type Named = Pick<store.CoreInstanceRow, 'id' | 'project_id' | 'name'>;

type ChangeType =
  | 'core_instance.created'
  | 'core_instance.updated'
  | 'core_instance.rotated'
  | 'core_instance.deleted';

/** Tells listeners. */
function noteChange(trx: Kysely<Tables>, type: ChangeType, { id, project_id, name }: Named): Promise<void> {
  return noteEvent(trx, project_id, { type, coreInstanceID: id, name });
}

/** For the audit log. */
function changeOf(action: AuditChange['action'], { id, project_id: projectID, name }: Named): AuditChange {
  return { projectID, action, target: { kind: 'core_instance', id, name } };
}

/** What the audit log shows of a core instance. */
function shownOf({ name, tags }: Pick<store.CoreInstanceRow, 'name' | 'tags'>) {
  return { name, tags: JSON.parse(tags) };
}

function notFound(id: string): Refusal {
  return new Refusal('not_found', {
    detail: `There is no core instance ${id} that this credential can see.`,
  });
}
