import { type Project, type ProjectWithUsage, routes } from '@muster/contract';
import { toTimestamp } from '../../foundation/clock.ts';
import type { Principal } from '../../foundation/credentials/principal.ts';
import { answerPage, pageOf, type RouteMounter } from '../../foundation/http/mount-route.ts';
import type { Secret } from '../../foundation/secret.ts';
import type { ProjectUsage, UsageService } from '../usage/usage-service.ts';
import type { ProjectService } from './project-service.ts';
import type { ProjectRow } from './project-store.ts';

/** A project that was just created, with the only copy of its first token. `createdAt` is in milliseconds. */
export interface NewProject {
  readonly id: string;
  readonly createdAt: number;
  readonly token: Secret;
}

interface ProjectRoutesOptions {
  readonly projects: ProjectService;
  /** Creates a project with its first token. */
  readonly create: (creator: Principal, name: string) => Promise<NewProject>;
  /** Called after a project was deleted, before the answer is sent. */
  readonly usage: Pick<UsageService, 'usageOf'>;
  readonly onDeleted: (projectID: string) => void;
}

export function mountProjectRoutes(mounter: RouteMounter, options: ProjectRoutesOptions): void {
  const { projects } = options;

  mounter.mount(routes.listProjects, async (call) => {
    const page = await projects.list(call.principal, call.query.name, pageOf('projects', call));
    return answerPage('projects', call, page, toProject);
  });

  mounter.mount(routes.createProject, async ({ principal, body }) => {
    const { id, token, createdAt } = await options.create(principal, body.name);
    return { id, token: token.reveal(), createdAt: toTimestamp(createdAt) };
  });

  mounter.mount(routes.getProject, async ({ principal, params }) => {
    const row = await projects.requireProject(principal, params.projectID);
    return { ...toProject(row), usage: toUsage(await options.usage.usageOf(row.id)) };
  });

  mounter.mount(routes.updateProject, async ({ principal, params, body }) =>
    toProject(await projects.update(principal, params.projectID, body)),
  );

  mounter.mount(routes.deleteProject, async ({ principal, params }) => {
    await projects.delete(principal, params.projectID);
    options.onDeleted(params.projectID);
    return undefined;
  });
}

function toUsage({ agents, storedBytes, limits }: ProjectUsage): ProjectWithUsage['usage'] {
  return {
    agents,
    maxAgents: orNull(limits.agents),
    storedBytes,
    maxStoredBytes: orNull(limits.storedBytes),
  };
}

/** In settings, 0 means no limit. */
function orNull(limit: number): number | null {
  return limit === 0 ? null : limit;
}

function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  };
}
