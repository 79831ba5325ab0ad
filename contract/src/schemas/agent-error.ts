import { type Static, Type } from 'typebox';
import { Actor, ID, Nullable, Text, Timestamp } from './common.ts';

/** Longest text of an agent error, in Unicode code points. */
export const maxErrorLength = 1024;

/** Most agent errors in one request. */
export const maxErrorsPerRequest = 1000;

const exampleErrors = ['[output:es:es.0] HTTP status=401 URI=/_bulk'];
const errorText = Text(1, maxErrorLength, {
  description:
    'Stored and compared exactly as sent, but for secrets of known shape, such as tokens with a published prefix: these are replaced by `--redacted--` first.',
  examples: exampleErrors,
});

const reason = Text(1, 100, { examples: ['Fixed by the new password'] });

/** A text message about an agent, kept once however often it is repeated. */
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
      description: 'How often it was reported, the first time included.',
    }),
    lastSeenAt: Timestamp,
    configID: Nullable(ID),
  },
  {
    description:
      "A text message about an agent. While it is open, repeats of the text are counted and not stored again. After the agent's configuration changed, the same text is stored as a new error; this one stays open until it is dismissed.",
  },
);
export type AgentError = Static<typeof AgentError>;

/** One report. Other fields are ignored: agents add their own. */
export const CreateAgentError = Type.Object(
  { error: errorText },
  { description: 'One report. Other fields are ignored.' },
);
export type CreateAgentError = Static<typeof CreateAgentError>;

export const AgentErrorResult = Type.Object(
  { id: ID, createdAt: Timestamp },
  { description: 'The stored error, or the one that stands for an ignored report.' },
);
export type AgentErrorResult = Static<typeof AgentErrorResult>;

export const DismissAgentError = Type.Object(
  { reason },
  { additionalProperties: false, description: 'Why an agent error needs no more attention.' },
);
export type DismissAgentError = Static<typeof DismissAgentError>;

export const DismissedAgentError = Type.Object(
  { dismissedAt: Timestamp },
  { description: 'When an agent error was dismissed.' },
);
export type DismissedAgentError = Static<typeof DismissedAgentError>;
