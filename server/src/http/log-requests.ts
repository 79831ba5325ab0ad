import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { describePrincipal } from '../credentials/principal.ts';
import type { Caller } from './authentication/admitter.ts';
import { hasCredential } from './authentication/authenticate.ts';
import { logsEveryAnswer } from './logs-every-answer.ts';
import type { RefusalLog } from './refusal-log.ts';

/**
 * A line for what was refused, unless it is told of together with others, and at debug one for each other answer: a
 * storm is the normal case. The route's pattern stands for the path, and the query is left out: both may hold what
 * nobody should read in a log.
 */
export function logRequests(app: FastifyInstance, refusals: RefusalLog): void {
  const logsAll = logsEveryAnswer(app.log.level);
  app.addHook('onResponse', (request, reply, done) => {
    const { log, method } = request;
    const status = reply.statusCode;
    const fields = { method, route: request.routeOptions.url ?? 'none' };
    const isUntold = request.getDecorator<boolean>('isUntold');
    if (status >= 400 && !isUntold) {
      refusals.note({
        log,
        status,
        sender: request,
        hasCredential: hasCredential(request.headers),
        fields: { ...fields, ...detailsOf(request, reply) },
      });
    } else if (logsAll) {
      log.debug({ ...fields, status, ...detailsOf(request, reply) }, 'answered');
    }
    done();
  });
}

function detailsOf(request: FastifyRequest, reply: FastifyReply) {
  const caller = request.getDecorator<Caller | undefined>('caller');
  return {
    milliseconds: Math.round(reply.elapsedTime),
    by: caller && describePrincipal(caller.principal),
  };
}
