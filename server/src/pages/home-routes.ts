import type { FastifyInstance } from 'fastify';
import { isOutsider, outsiderNote } from '../credentials/principal.ts';
import { routeNotFound } from '../http/answers/reply-with-problem.ts';
import type { Admitter } from '../http/authentication/admitter.ts';
import type { ProjectService } from '../projects/project-service.ts';
import type { Summary, SummaryService } from '../summary/summary-service.ts';
import { type Count, renderHome } from './home-page.ts';
import { redirect, sendPage, wantsPage } from './page-routes.ts';
import { findUser } from './sign-in-routes.ts';

export interface HomeRoutesOptions {
  readonly admitter: Admitter;
  readonly projects: Pick<ProjectService, 'list'>;
  readonly summaries: Pick<SummaryService, 'summarize'>;
  readonly version: string;
}

const maxProjects = 20;

/** Where a browser that opens the address of the service arrives. Programs get the 404 of a missing route. */
export function mountHomeRoutes(app: FastifyInstance, options: HomeRoutesOptions): void {
  const { admitter, projects, summaries, version } = options;
  app.get('/', async (request, reply) => {
    if (!wantsPage(request)) throw routeNotFound(request);
    const user = await findUser(admitter, request);
    if (user === undefined) return redirect(reply, './sign_in');
    const { rows, hasNext } = await projects.list(user, undefined, { limit: maxProjects, before: undefined });
    const reader = { ...user, needs: ['read:project'] as const };
    const counted = await Promise.all(
      rows.map(async ({ id, name }) => ({
        id,
        name,
        counts: countsOf(await summaries.summarize(reader, id)),
      })),
    );
    return sendPage(
      reply,
      200,
      renderHome({
        userName: user.name,
        version,
        projects: counted,
        hasMoreProjects: hasNext,
        note: isOutsider(user.access) ? outsiderNote : undefined,
      }),
    );
  });
}

function countsOf({ agents, currentErrors, openGroups }: Summary): Count[] {
  const all = Object.values(agents).reduce((sum, count) => sum + count, 0);
  return [
    { name: all === 1 ? 'agent' : 'agents', value: all },
    { name: 'unhealthy', value: agents.unhealthy, isBad: true },
    { name: 'offline', value: agents.offline, isBad: true },
    { name: currentErrors === 1 ? 'open error' : 'open errors', value: currentErrors },
    { name: openGroups === 1 ? 'cause' : 'causes', value: openGroups },
  ];
}
