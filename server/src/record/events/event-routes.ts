import { routes } from '@muster/contract';
import { hangUpSignal } from '../../foundation/http/connections/hang-up-signal.ts';
import type { RouteMounter } from '../../foundation/http/mount-route.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { EventService } from './event-service.ts';
import { parseTypes } from './listened-types.ts';

export function mountEventRoutes(mounter: RouteMounter, events: EventService): void {
  mounter.mount(routes.watchEvents, async ({ params, query, admission, request, reply }) => {
    const wanted = {
      projectID: params.projectID,
      types: parseTypes(query.types),
      lastEventID: readLastEventID(request.headers['last-event-id']),
      admission,
    };
    reply.header('X-Accel-Buffering', 'no');
    if (query.follow === false || request.method === 'HEAD') return events.list(wanted);
    const write = await events.open(wanted);
    request.setDecorator('isStream', true);
    // The connection ends with the stream, so that a stop of the service does not wait for it.
    reply.header('Connection', 'close').type('text/event-stream').hijack();
    reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>); // each is one text
    // A client that has closed its half of the connection has gone.
    const hangUp = hangUpSignal(request, reply);
    if (hangUp.aborted) reply.raw.end();
    else hangUp.addEventListener('abort', () => reply.raw.end());
    write(reply.raw);
    return '';
  });
}

/** @throws Refusal invalid_last_event_id */
function readLastEventID(value: string | readonly string[] | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  throw new Refusal('invalid_last_event_id');
}
