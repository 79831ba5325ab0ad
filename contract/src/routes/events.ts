import { Type } from 'typebox';
import { defineRoute } from '../route.ts';
import { IDParameter } from '../schemas/common.ts';
import { eventTypes } from '../schemas/event.ts';

export const watchEvents = defineRoute({
  operationID: 'watchEvents',
  method: 'GET',
  path: '/v1/projects/{projectID}/events',
  tag: 'Events',
  summary: 'Follow what happens in a project',
  description: `Server-sent events (WHATWG HTML, section 9.2). Each has an \`id\`, which counts the events of the project without gaps, an \`event\` (its type), and \`data\`: one line of JSON, see ProjectEvent. A request with the header \`Last-Event-ID\` continues after that event; without it the stream begins now. An event can come twice after a reconnect, and is never skipped: if events after \`Last-Event-ID\` are no longer stored, an event \`reset\` comes first. A comment is sent every 15 seconds. The stream ends when its credential is no longer valid, when the project is deleted, when the service stops, or when the client does not read for 5 seconds: connect again with \`Last-Event-ID\`. Needs \`read:agent_error\`, \`read:agent\`, \`read:token\` or \`read:member\`: an event is sent only to a credential that may read what it tells of.`,
  credentials: ['access', 'project'],
  params: Type.Object({ projectID: IDParameter('The project.') }),
  query: Type.Object({
    types: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: `Only events of these types, separated by commas; \`agent.*\` means all that begin with \`agent.\`. Absent: all that the credential may read. Types: ${eventTypes.map((type) => `\`${type}\``).join(', ')}.`,
      }),
    ),
    follow: Type.Optional(
      Type.Boolean({
        description:
          'false: the answer ends after the events that are stored now, at most 1,000. For callers that ask from time to time. Absent: the answer does not end.',
      }),
    ),
  }),
  answer: {
    status: 200,
    schema: Type.String(),
    mediaType: 'text/event-stream',
    description: 'A stream of events.',
    headers: { 'X-Accel-Buffering': '`no`: proxies pass each event on at once.' },
  },
  problems: [
    'not_found',
    'permission_denied',
    'invalid_last_event_id',
    'too_many_event_listeners',
    'overloaded',
  ],
});
