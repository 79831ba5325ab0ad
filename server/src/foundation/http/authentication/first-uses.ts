import type { FastifyInstance } from 'fastify';
import type { AgentPrincipal } from '../../credentials/principal.ts';
import type { Caller } from './admitter.ts';

/**
 * Calls back when the first request with a new agent token was answered successfully. The call follows when the whole answer was handed to the
 * network, and may be repeated for concurrent requests.
 */
export function tellFirstUses(app: FastifyInstance, onFirstUse: (agent: AgentPrincipal) => void): void {
  app.addHook('onResponse', (request, reply, done) => {
    const principal = request.getDecorator<Caller | undefined>('caller')?.principal;
    if (principal?.kind === 'agent' && principal.unusedToken !== undefined) {
      // The hook also runs for an answer that was cut off by an error.
      if (!reply.raw.errored && reply.statusCode >= 200 && reply.statusCode < 300) onFirstUse(principal);
    }
    done();
  });
}
