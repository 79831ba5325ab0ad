import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { describePrincipal } from '../credentials/principal.ts';
import type { Caller } from './authentication/admitter.ts';
import { hasCredential } from './authentication/authenticate.ts';
import { logsEveryAnswer } from './logs-every-answer.ts';
import type { RefusalLog } from './refusal-log.ts';

/**
 * Logs a line for each refused request, unless it is summed up with others. Other answers are logged only at debug, because there are too many in a
 * storm. Lines have the route's pattern instead of the path, and no query, because both may contain secrets.
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
