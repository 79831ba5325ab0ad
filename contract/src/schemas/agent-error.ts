import { type Static, Type } from 'typebox';
import { Actor, ID, Nullable, Text, Timestamp } from './common.ts';

/** Maximum length of the text of an agent error, in Unicode code points. */
export const maxErrorLength = 1024;

/** Maximum number of agent errors in one request. */
export const maxErrorsPerRequest = 1000;

/** Media types of reports besides JSON: a JSON object in each line, and a single text. */
export const ndjsonMediaType = 'application/x-ndjson';
export const plainTextMediaType = 'text/plain';

const exampleErrors = ['[output:es:es.0] HTTP status=401 URI=/_bulk'];
const errorText = Text(1, maxErrorLength, {
  description:
    'Stored and compared exactly as sent, except that secrets of a known form, such as tokens with a published prefix, are first replaced by `--redacted--`.',
  examples: exampleErrors,
});

const reason = Text(1, 100, { examples: ['Fixed by the new password'] });

/** A text message about an agent; repeats are counted, not stored again. */
export const AgentError = Type.Object(
  {
    id: ID,
    agentID: ID,
    error: Type.String({ examples: exampleErrors }),
    dismissedAt: Nullable(Timestamp),
    dismissReason: Nullable(Type.String()),
    createdAt: Timestamp,
    dismissedBy: Type.Union([Actor, Type.Null()]),
    occurrences: Type.Integer({
      minimum: 1,
      description: 'How often the error was reported, including the first time.',
    }),
    lastSeenAt: Timestamp,
    configID: Nullable(ID),
    current: Type.Boolean({
      description: 'True while its agent still has the configuration in which the error was created.',
    }),
    groupID: Nullable(
      Type.String({
        format: 'uuid',
        description:
          'The group of errors with the same cause. Null for a moment after an update of the service.',
      }),
    ),
  },
  {
    description:
      "A text message about an agent. While it is open, repeats of its text are counted and not stored again. After the agent's configuration changes, the same text is stored as a new error, and this one stays open until it is dismissed.",
  },
);
export type AgentError = Static<typeof AgentError>;

const { id, error, groupID, createdAt, occurrences, lastSeenAt } = AgentError.properties;

/** What a list of agents says of an open error. */
export const OpenAgentError = Type.Object(
  { id, error, groupID, createdAt, occurrences, lastSeenAt },
  { description: 'An open error, as lists of agents say it.' },
);
export type OpenAgentError = Static<typeof OpenAgentError>;

/** One report. Other fields are ignored because agents add their own. */
export const CreateAgentError = Type.Object(
  { error: errorText },
  { description: 'One report. Other fields are ignored.' },
);
export type CreateAgentError = Static<typeof CreateAgentError>;

export const AgentErrorResult = Type.Object(
  { id: ID, createdAt: Timestamp },
  { description: 'The stored error, or the open error that an ignored report repeats.' },
);
export type AgentErrorResult = Static<typeof AgentErrorResult>;

export const DismissAgentError = Type.Object(
  { reason },
  { additionalProperties: false, description: 'Why an agent error needs no more attention.' },
);
export type DismissAgentError = Static<typeof DismissAgentError>;

export const DismissedAgentError = Type.Object(
  { dismissedAt: Timestamp },
  { description: 'When the agent error was dismissed.' },
);
export type DismissedAgentError = Static<typeof DismissedAgentError>;
