import type { FastifyInstance } from 'fastify';
import type { AgentPrincipal } from '../../credentials/principal.ts';
import type { Caller } from './admitter.ts';

/**
 * Tells when the first request with a new agent token has been answered with success. It is told once the whole answer was
 * handed to the network, and may be told again for requests that were under way together.
 */
export function tellFirstUses(app: FastifyInstance, onFirstUse: (agent: AgentPrincipal) => void): void {
  app.addHook('onResponse', (request, reply, done) => {
    const principal = request.getDecorator<Caller | undefined>('caller')?.principal;
    if (principal?.kind === 'agent' && principal.unusedToken !== undefined) {
      // The hook is also run for an answer that broke off with an error.
      if (!reply.raw.errored && reply.statusCode >= 200 && reply.statusCode < 300) onFirstUse(principal);
    }
    done();
  });
}
