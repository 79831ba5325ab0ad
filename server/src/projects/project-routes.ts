import { type Project, routes } from '@muster/contract';
import { toTimestamp } from '../clock.ts';
import { answerPage, pageOf, type RouteMounter } from '../http/mount-route.ts';
import { insertProjectWithToken, type ProjectParts } from './create-project.ts';
import type { ProjectRow } from './project-store.ts';

interface ProjectRoutesOptions extends ProjectParts {
  /** Called when a project was deleted, before the answer. */
  readonly onDeleted: (projectID: string) => void;
}

export function mountProjectRoutes(mounter: RouteMounter, options: ProjectRoutesOptions): void {
  const { projects } = options;

  mounter.mount(routes.listProjects, async (call) => {
    const page = await projects.list(call.principal, call.query.name, pageOf('projects', call));
    return answerPage('projects', call, page, toProject);
  });

  mounter.mount(routes.createProject, async ({ principal, body }) => {
    const { project, secret } = await options.database.write
      .transaction()
      .execute((trx) => insertProjectWithToken(trx, options, body.name, principal));
    return { id: project.id, token: secret.reveal(), createdAt: toTimestamp(project.created_at) };
  });

  mounter.mount(routes.getProject, async ({ principal, params }) =>
    toProject(await projects.requireProject(principal, params.projectID)),
  );

  mounter.mount(routes.updateProject, async ({ principal, params, body }) =>
    toProject(await projects.update(principal, params.projectID, body)),
  );

  mounter.mount(routes.deleteProject, async ({ principal, params }) => {
    await projects.delete(principal, params.projectID);
    options.onDeleted(params.projectID);
    return undefined;
  });
}

function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  };
}
