import {
  explainInvalidGrant,
  foldGrants,
  type Grant,
  grantsOfRole,
  isGrant,
  isRole,
  maxGrants,
  nearestName,
  roles,
} from '@muster/contract';

/** What a value of the claim gives to its users. */
export interface MappedRole {
  readonly isAdministrator: boolean;
  readonly everyProject: readonly Grant[];
  /** By the id of a project. */
  readonly projects: ReadonlyMap<string, readonly Grant[]>;
}

/** By the value of the claim, such as the name of a group. */
export type OidcRoles = ReadonlyMap<string, MappedRole>;

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

const administrator = 'administrator';

/**
 * Reads MUSTER_OIDC_ROLES: a JSON object from values of the claim to `"administrator"`, or to an object from the id of a project
 * (`*`: every project) to a role or a list of permissions. JSON, because names of groups may contain any character.
 *
 * @returns the faults of the text as sentences, if it has any
 */
export function parseOidcRoles(text: string): OidcRoles | readonly string[] {
  const value = parseJson(text);
  if (!isRecord(value)) {
    return [
      'It is not a JSON object such as {"platform-admins":"administrator","telemetry":{"*":"viewer"}}.',
    ];
  }
  const faults: string[] = [];
  const parsed = new Map(Object.entries(value).map(([name, role]) => [name, readMapped(name, role, faults)]));
  return faults.length > 0 ? faults : parsed;
}

function readMapped(name: string, value: unknown, faults: string[]): MappedRole {
  const projects = new Map<string, readonly Grant[]>();
  let everyProject: readonly Grant[] = [];
  if (value === administrator) return { isAdministrator: true, everyProject, projects };
  if (!isRecord(value)) {
    faults.push(
      `${quote(name)} must have "${administrator}", or an object from ids of projects to roles, such as {"*":"viewer"}.`,
    );
    return { isAdministrator: false, everyProject, projects };
  }
  for (const [project, role] of Object.entries(value)) {
    const where = `${quote(name)}, ${quote(project)}`;
    const grants = readGrants(where, role, faults);
    if (project === '*') everyProject = grants;
    else if (uuid.test(project)) projects.set(project.toLowerCase(), grants);
    else faults.push(`${where}: a project is given by its id, or as * for every project.`);
  }
  return { isAdministrator: false, everyProject, projects };
}

function readGrants(where: string, value: unknown, faults: string[]): readonly Grant[] {
  if (typeof value === 'string' && isRole(value)) return grantsOfRole(value);
  if (Array.isArray(value) && value.length <= maxGrants) {
    const texts = value.map(String);
    faults.push(
      ...texts.filter((text) => !isGrant(text)).map((text) => `${where}: ${explainInvalidGrant(text)}`),
    );
    return foldGrants(texts.filter(isGrant));
  }
  const nearest = typeof value === 'string' ? nearestName(value, roles) : undefined;
  const advice = nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
  faults.push(
    `${where}: a role is one of ${roles.join(', ')}, or a list of at most ${maxGrants} permissions.${advice}`,
  );
  return [];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
