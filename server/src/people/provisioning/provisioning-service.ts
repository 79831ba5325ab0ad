import {
  type AppliedProvisioning,
  type ApplyProvisioning,
  allows,
  maxProvisionedItems,
  type ProvisioningChange,
  readProjectToken,
} from '@muster/contract';
import type { Kysely } from 'kysely';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import { type Clock, isUuidv7, type NewID } from '../../foundation/clock.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import {
  grantsOfUser,
  requireGrant,
  type UserAccess,
  type UserPrincipal,
} from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';
import { settings } from '../../foundation/settings/config.ts';
import type { AuditService } from '../../record/audit/audit-service.ts';
import type { ProvisionedMemberService } from '../members/provisioned-member-service.ts';
import {
  ProvisionedService,
  type Provisioning,
  type ProvisionOutcome,
} from '../provisioning-record/provisioned-service.ts';
import type { ProvisionedTokenService } from '../tokens/provisioned-token-service.ts';
import { tokensOf } from '../tokens/token-service.ts';
import type { UserService } from '../users/user-service.ts';
import { auditedProvisioning } from './audited-provisioning.ts';
import type { ProvisionedFleetService } from './provisioned-fleet-service.ts';

interface ProvisioningServiceOptions {
  readonly audit: AuditService;
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly projects: Pick<
    ProjectService,
    'explainAbsence' | 'find' | 'findNamed' | 'insert' | 'lock' | 'rename'
  >;
  readonly users: Pick<UserService, 'findAccess' | 'requireOpenSession'>;
  readonly members: ProvisionedMemberService;
  readonly tokens: ProvisionedTokenService;
  readonly fleets: ProvisionedFleetService;
  /** Called after a change: any credential may do something else now, and one that was unknown may be known. */
  readonly onChanged: () => void;
}

type WantedProject = ApplyProvisioning['projects'][number];

/** What is known of a project of the file before anything is changed. */
interface FoundProject {
  readonly id: string;
  /** Its name now; undefined: it does not exist. */
  readonly name: string | undefined;
  /** Why it is left alone. */
  readonly skip: string | undefined;
}

/** In the order of JSON pointers into the request. */
type Changes = ProvisioningChange[];

/** Everything, for the service itself at its start. */
const everything: UserAccess = { installation: ['*'], everyProject: ['*'], projects: new Map() };

/** Makes projects, members, tokens and fleets as a file says: all or nothing, and nothing that is so already. */
export class ProvisioningService {
  readonly #options: ProvisioningServiceOptions;

  constructor(options: ProvisioningServiceOptions) {
    this.#options = options;
  }

  /**
   * Applies a file. Replicas and callers that do so at once wait for one another, so that each thing is made once.
   *
   * @param user undefined: the service itself, which may do everything.
   * @throws Refusal whose fields lead to the place in the request
   */
  async apply(request: ApplyProvisioning, user: UserPrincipal | undefined): Promise<AppliedProvisioning> {
    const { audit, database, fleets, onChanged } = this.#options;
    const { dryRun = false } = request;
    refuseTooMany(request);
    const changes: Changes = [];
    try {
      await database.write.transaction().execute(async (trx) => {
        await database.takeLock(trx, 'provisioning');
        changes.push(...(await this.#applyIn(trx, request, user)));
        if (dryRun) throw new DryRun();
        const audited = changes.flatMap(auditedProvisioning);
        if (audited.length === 0) return;
        await audit.record(
          trx,
          user ?? { kind: 'system', name: settings.provisionFile.variable },
          ...audited,
        );
        if (changes.some(({ resource }) => resource === 'fleet')) await fleets.noteChange(trx);
        await noteCredentialChange(trx);
      });
    } catch (error) {
      if (!(error instanceof DryRun)) throw error;
    }
    if (!dryRun) onChanged();
    return { dryRun, changes };
  }

  async #applyIn(
    trx: Kysely<Tables>,
    { projects }: ApplyProvisioning,
    user: UserPrincipal | undefined,
  ): Promise<Changes> {
    const { database, fleets, tokens, users } = this.#options;
    const findAccess = async () => (user === undefined ? everything : users.findAccess(trx, user));
    const before = await findAccess();
    const memory = new ProvisionedService(trx, this.#options.clock);
    const found: FoundProject[] = [];
    for (const [place, project] of projects.entries()) {
      const one = await at(`/projects/${place}`, project.name, () =>
        this.#findProject(trx, project, { access: before, memory }),
      );
      if (found.some(({ id }) => id === one.id)) {
        throw invalidBody([{ path: `/projects/${place}`, message: 'names a project for the second time' }]);
      }
      found.push(one);
    }
    const sorted = found.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    for (const { id } of sorted) await database.takeLock(trx, tokensOf(id));
    const withFleets = new Set(found.filter((_, place) => projects[place]?.fleets !== undefined));
    for (const one of sorted) if (withFleets.has(one)) await fleets.lock(trx, one.id);
    for (const { id, name } of sorted) {
      if (name !== undefined) await this.#lockProject(trx, id);
    }
    if (user !== undefined) await users.requireOpenSession(trx, user);
    await tokens.lock(trx, tokenIDsOf(projects));
    // Again: a role may have been taken away until the locks were free.
    const access = await findAccess();
    const changes: Changes = [];
    for (const [place, project] of projects.entries()) {
      const one = found[place];
      if (one === undefined) throw new Error('a project was not looked up');
      const held = grantsOfUser(access, one.id) ?? [];
      const by = { trx, projectID: one.id, user, held, memory };
      changes.push(...(await this.#applyProject(by, { place, project, found: one, access })));
    }
    return changes;
  }

  async #applyProject(
    by: Provisioning,
    {
      place,
      project,
      found,
      access,
    }: { place: number; project: WantedProject; found: FoundProject; access: UserAccess },
  ): Promise<Changes> {
    const { fleets, members, tokens } = this.#options;
    const path = `/projects/${place}`;
    const common = { projectID: found.id, project: project.name };
    const own = await at(path, project.name, () => this.#makeProject(by, project, found, access));
    const changes: Changes = own.map((one) => ({ ...one, resource: 'project', path, ...common }));
    if (found.skip !== undefined) return changes;
    for (const [index, member] of (project.members ?? []).entries()) {
      const where = `${path}/members/${index}`;
      const outcome = await at(where, member.subject ?? member.userID ?? '', () => members.apply(by, member));
      changes.push(
        ...outcome.map((one) => ({ ...one, resource: 'member' as const, path: where, ...common })),
      );
    }
    for (const [index, token] of (project.tokens ?? []).entries()) {
      const where = `${path}/tokens/${index}`;
      const outcome = await at(where, token.name, () => tokens.apply(by, token));
      changes.push(...outcome.map((one) => ({ ...one, resource: 'token' as const, path: where, ...common })));
    }
    for (const [index, fleet] of (project.fleets ?? []).entries()) {
      const where = `${path}/fleets/${index}`;
      const outcome = await at(where, fleet.name, () => fleets.apply(by, fleet));
      changes.push(...outcome.map((one) => ({ ...one, resource: 'fleet' as const, path: where, ...common })));
    }
    return changes;
  }

  async #lockProject(trx: Kysely<Tables>, id: string): Promise<void> {
    if ((await this.#options.projects.lock(trx, id)) !== undefined) return;
    throw new Refusal('not_found', {
      detail: `The project ${id} was deleted in this moment. Apply the file again.`,
      fields: [
        { path: '/projects', message: `contains the project ${id}, which was deleted in this moment` },
      ],
    });
  }

  async #makeProject(
    by: Provisioning,
    { name }: WantedProject,
    found: FoundProject,
    access: UserAccess,
  ): Promise<ProvisionOutcome[]> {
    const { projects } = this.#options;
    const { id } = found;
    const common = { id, name, reason: null };
    if (found.skip !== undefined) return [{ ...common, action: 'skip', fields: [], reason: found.skip }];
    // For the whole installation, so not by those who may only follow a file in projects of theirs.
    if (allows(access.installation, 'create:project')) {
      for (const key of [id, nameKey(name), nameKey(name, id)]) await by.memory.note('project', key);
    }
    if (found.name === undefined) {
      requireGrant(access.installation, 'create:project');
      await projects.insert(by.trx, name, id);
      return [{ ...common, action: 'create', fields: [{ field: 'name', before: null, after: name }] }];
    }
    if (found.name === name) return [];
    requireGrant(by.held, 'update:project');
    await projects.rename(by.trx, id, name);
    return [{ ...common, action: 'update', fields: [{ field: 'name', before: found.name, after: name }] }];
  }

  /** @throws Refusal not_found, the same for a project that does not exist and for one in which the user has no part */
  async #findProject(
    trx: Kysely<Tables>,
    project: WantedProject,
    { access, memory }: { readonly access: UserAccess; readonly memory: ProvisionedService },
  ): Promise<FoundProject> {
    const { projects, newID } = this.#options;
    const id = project.id?.toLowerCase() ?? idOfTokens(project);
    if (project.id !== undefined && !isUuidv7(project.id.toLowerCase())) {
      throw invalidBody([
        { path: '/id', message: "must be a UUIDv7 in text form: 'muster token generate' makes one" },
      ]);
    }
    const visible = access.everyProject.length > 0 ? undefined : [...access.projects.keys()];
    if (id !== undefined) {
      const row = await projects.find(trx, id);
      if (row !== undefined && grantsOfUser(access, id) !== undefined) {
        return { id, name: row.name, skip: undefined };
      }
      refuseCreation(access, `There is no project ${id} that this credential can see.`);
      const absence = await projects.explainAbsence(trx, id);
      if (absence !== undefined) return { id, name: undefined, skip: absence };
      const [namesake] = await projects.findNamed(trx, project.name, undefined);
      if (project.id === undefined && namesake !== undefined) throw anotherProject(project.name, namesake.id);
      return { id, name: undefined, skip: undefined };
    }
    const named = await projects.findNamed(trx, project.name, visible);
    const remembered: typeof named = [];
    for (const one of named) {
      if (await memory.has('project', nameKey(project.name, one.id))) remembered.push(one);
    }
    const isKnown = await memory.has('project', nameKey(project.name));
    // Names were remembered without their projects at first.
    for (const one of isKnown && remembered.length === 0 ? named : []) {
      if (await memory.has('project', one.id)) remembered.push(one);
    }
    // Owners choose the names of their projects: a later namesake must neither get what a file makes nor keep the service from its start.
    const isOthers = isKnown && visible === undefined && remembered.length === 0;
    const [row, another] = isOthers || remembered.length > 0 ? remembered : named;
    if (another !== undefined) {
      throw invalidBody([
        { path: '/name', message: `is the name of several projects: give the id of the project too` },
      ]);
    }
    if (row !== undefined) return { id: row.id, name: row.name, skip: undefined };
    refuseCreation(access, `There is no project '${project.name}' that this credential can see.`);
    const skip =
      'it was created from a file and has been renamed or deleted since; give the id of the project';
    return { id: newID(), name: undefined, skip: isKnown ? skip : undefined };
  }
}

/** What is remembered of a name, or of the project that had it. */
function nameKey(name: string, id?: string): string {
  return id === undefined ? `name ${name}` : `${id} name ${name}`;
}

/** Rolls the transaction back: what it would have changed is known. */
class DryRun extends Error {}

/** Says in which element of the request a refusal arose. */
async function at<Result>(path: string, name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const own = error.fields ?? [{ path: '', message: asMessage(error.detail) }];
    const fields = own.map((field) => ({ ...field, path: `${path}${field.path}` }));
    throw new Refusal(error.code, {
      detail: `${describePlace(path)} ('${name}'): ${error.detail}`,
      fields,
      cause: error,
    });
  }
}

/** After the name of the place and a blank. */
function asMessage(detail: string): string {
  return `cannot be applied. ${detail}`;
}

/** `projects[0].tokens[1]` */
function describePlace(path: string): string {
  return path
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.');
}

function refuseTooMany({ projects }: ApplyProvisioning): void {
  const counts = projects.map(
    ({ members = [], tokens = [], fleets = [] }) => 1 + members.length + tokens.length + fleets.length,
  );
  if (counts.reduce((sum, count) => sum + count, 0) <= maxProvisionedItems) return;
  throw invalidBody([
    {
      path: '/projects',
      message: `may contain at most ${maxProvisionedItems} projects, members, tokens and fleets together`,
    },
  ]);
}

/** The project that the values of the tokens name. @throws Refusal invalid_body, if they name several */
function idOfTokens({ tokens = [] }: WantedProject): string | undefined {
  const ids = new Set(tokens.flatMap(({ value }) => readProjectToken(value)?.projectID ?? []));
  if (ids.size <= 1) return [...ids][0];
  throw invalidBody([
    {
      path: '/tokens',
      message:
        "contains values for different projects: make them with 'muster token generate --project', and the id of the project",
    },
  ]);
}

function tokenIDsOf(projects: readonly WantedProject[]): string[] {
  const values = projects.flatMap(({ tokens = [] }) => tokens.map(({ value }) => value));
  return values.flatMap((value) => readProjectToken(value)?.tokenID ?? []);
}

function refuseCreation({ installation }: UserAccess, reason: string): void {
  if (allows(installation, 'create:project')) return;
  const detail = `${reason} Only administrators of the installation can create it.`;
  throw new Refusal('not_found', { detail });
}

function anotherProject(name: string, id: string): Refusal {
  return invalidBody([
    {
      path: '/tokens',
      message: `contains values for another project than '${name}', whose id is ${id}. Make them with 'muster token generate --project ${id}', or give the id of the project that they are for`,
    },
  ]);
}
