import type { FastifyInstance } from 'fastify';
import type { Principal } from '../principal.ts';

/**
 * One line for each answer: at debug for what is well, since a storm is the normal case, at info for what was
 * refused. The route's pattern stands for the path, and the query is left out: both may hold what nobody should
 * read in a log.
 */
export function logRequests(app: FastifyInstance): void {
  const logsEveryAnswer = ['debug', 'trace'].includes(app.log.level);
  app.addHook('onResponse', (request, reply, done) => {
    const isRefused = reply.statusCode >= 400;
    if (isRefused || logsEveryAnswer) {
      request.log[isRefused ? 'info' : 'debug'](
        {
          method: request.method,
          route: request.routeOptions.url ?? 'none',
          status: reply.statusCode,
          milliseconds: Math.round(reply.elapsedTime),
          by: describePrincipal(request.getDecorator<Principal | undefined>('principal')),
        },
        'answered',
      );
    }
    done();
  });
}

function describePrincipal(principal: Principal | undefined): string | undefined {
  switch (principal?.kind) {
    case undefined:
      return undefined;
    case 'access':
      return `user ${principal.userID}`;
    case 'project':
      return `project token ${principal.tokenID}`;
    case 'agent':
      return `agent ${principal.agentID}`;
  }
}
