import type { FastifyInstance } from 'fastify';
import type { Telemetry } from './telemetry.ts';

/** Notes every traced answer of the framework. Reports that take the shortcut are noted there. */
export function noteAnswers(app: FastifyInstance, telemetry: Telemetry): void {
  app.addHook('onResponse', (request, reply, done) => {
    // A stream takes as long as its client listens.
    if (!telemetry.isTraced(request.headers) || request.getDecorator<boolean>('isStream')) return done();
    telemetry.noteAnswer({
      headers: request.headers,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      milliseconds: reply.elapsedTime,
    });
    done();
  });
}
