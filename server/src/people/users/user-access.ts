import { foldGrants, type Grant, intersectGrants } from '@muster/contract';

/** What a user may do: see `UserAccess` in credentials/principal.ts. */
export interface Access {
  readonly installation: readonly Grant[];
  readonly everyProject: readonly Grant[];
  readonly projects: ReadonlyMap<string, readonly Grant[]>;
}

/** Limits of an access token; null: none. */
export interface Narrowing {
  readonly projectIDs: readonly string[] | null;
  readonly grants: readonly Grant[] | null;
}

/** Access that is given to a user, from one source. */
export interface GivenAccess {
  readonly isAdministrator: boolean;
  readonly everyProject: readonly Grant[];
  readonly projects: ReadonlyMap<string, readonly Grant[]>;
}

/** The limits of an access token as they are stored. */
interface StoredNarrowing {
  /** JSON array of grants. */
  readonly permissions: string | null;
  /** JSON array of ids. */
  readonly project_ids: string | null;
}

const everything: readonly Grant[] = ['*'];

/** All that a user is given, from every source. */
export function uniteAccess(given: readonly GivenAccess[]): Access {
  if (given.some(({ isAdministrator }) => isAdministrator)) {
    return { installation: everything, everyProject: everything, projects: new Map() };
  }
  const projects = new Map<string, readonly Grant[]>();
  for (const one of given) {
    for (const [id, grants] of one.projects) {
      const known = projects.get(id);
      projects.set(id, known === undefined ? grants : foldGrants([...known, ...grants]));
    }
  }
  return {
    installation: [],
    everyProject: foldGrants(given.flatMap(({ everyProject }) => everyProject)),
    projects,
  };
}

/** What an access token may do: what its user may do, within the limits of the token. */
export function narrowAccess(access: Access, { projectIDs, grants }: Narrowing): Access {
  const within = (held: readonly Grant[]) => (grants === null ? held : intersectGrants(held, grants));
  const { everyProject, projects } = access;
  if (projectIDs === null) {
    return {
      installation: within(access.installation),
      everyProject: within(everyProject),
      projects: new Map([...projects].map(([id, held]) => [id, within(held)])),
    };
  }
  const reached = projectIDs.filter((id) => everyProject.length > 0 || projects.has(id));
  return {
    installation: [],
    everyProject: [],
    projects: new Map(
      reached.map((id) => [id, within(foldGrants([...everyProject, ...(projects.get(id) ?? [])]))]),
    ),
  };
}

export function narrowingOf({ permissions, project_ids }: StoredNarrowing): Narrowing {
  return {
    grants: permissions === null ? null : (JSON.parse(permissions) as Grant[]), // only the service writes it
    projectIDs: project_ids === null ? null : (JSON.parse(project_ids) as string[]), // as above
  };
}

export function isNarrowing({ grants, projectIDs }: Narrowing): boolean {
  return grants !== null || projectIDs !== null;
}
