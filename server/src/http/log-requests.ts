import type { FastifyInstance, FastifyRequest } from 'fastify';
import { describePrincipal } from '../credentials/principal.ts';
import type { Caller } from './authentication/admitter.ts';

/**
 * One line for each answer: at debug for what is well, since a storm is the normal case, at info for what was
 * refused, unless it is told of together with others. The route's pattern stands for the path, and the query is left out: both may hold what nobody should
 * read in a log.
 */
export function logRequests(app: FastifyInstance): void {
  const logsAll = logsEveryAnswer(app.log.level);
  app.addHook('onResponse', (request, reply, done) => {
    const isRefused = reply.statusCode >= 400 && !request.getDecorator<boolean>('isUntold');
    if (isRefused || logsAll) {
      request.log[isRefused ? 'info' : 'debug'](
        {
          method: request.method,
          route: request.routeOptions.url ?? 'none',
          status: reply.statusCode,
          milliseconds: Math.round(reply.elapsedTime),
          by: describeCaller(request),
        },
        'answered',
      );
    }
    done();
  });
}

/** Whether answers that are well have lines too, at this level. */
export function logsEveryAnswer(level: string): boolean {
  return level === 'debug' || level === 'trace';
}

function describeCaller(request: FastifyRequest): string | undefined {
  const caller = request.getDecorator<Caller | undefined>('caller');
  return caller && describePrincipal(caller.principal);
}
