import { type Static, Type } from 'typebox';
import { Actor, ID, Nullable, OneOf, Text, Timestamp, TimestampOf } from './common.ts';
import { maxGraceSeconds } from './token.ts';

export const coreInstanceStatuses = ['waiting', 'running', 'unreachable'] as const;
export type CoreInstanceStatus = (typeof coreInstanceStatuses)[number];

/** A core instance sends something at least this often. */
export const nextPingSeconds = 30;

/** A core instance that was not heard for longer than this is `unreachable`. */
export const unreachableAfterSeconds = 3 * nextPingSeconds;

/** Since when a core instance must have been heard so that it is not `unreachable` now. Both in milliseconds. */
export function reachableSince(now: number): number {
  return now - unreachableAfterSeconds * 1_000;
}

/** A core instance at which something has waited for longer than this lags. */
export const coreInstanceLagsAfterSeconds = 60;

/** The minutes of which is told how much has arrived from a core instance. */
export const coreInstanceTrendMinutes = 60;

/** Maximum number of core instances of one project that are not deleted. */
export const maxCoreInstancesPerProject = 1_000;

/** For how long an earlier token whose successor is not used is accepted, if the request does not say. */
export const defaultCoreInstanceGraceSeconds = 86_400;

const exampleNames = ['plant-7'];
const name = Text(1, 128, {
  description: 'Unique among the core instances of the project.',
  examples: exampleNames,
});

const Tags = Type.Array(Text(1, 128), { maxItems: 100, examples: [['eu-west-1']] });

const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Secrets in it are replaced before it is stored.',
  examples: [{ k8s: { namespace: 'logging' } }],
});

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** A Muster at a site. */
export const CoreInstance = Type.Object(
  {
    id: ID,
    projectID: ID,
    name: Type.String({ examples: exampleNames }),
    version: Nullable(Type.String({ description: 'As it reports it.', examples: ['0.1.0'] })),
    tags: Tags,
    metadata: Metadata,
    token: Type.String({ description: 'Masked.', examples: ['mst_c_…wXyZ'] }),
    status: OneOf(coreInstanceStatuses, {
      description: `\`waiting\`: it was never heard. \`unreachable\`: it was not heard for ${unreachableAfterSeconds} seconds, so nothing is known of the agents behind it. \`running\`: everything else.`,
    }),
    createdAt: Timestamp,
    createdBy: Actor,
    updatedAt: Timestamp,
    lastContactAt: Nullable(TimestampOf('When it was last heard. Null: never.')),
    startedAt: Nullable(TimestampOf('When its process started, as it reports it.')),
    agentsCount: count('Agents for which it was the last to speak.'),
    spooledCount: count('Items that waited at the site when it was last heard.'),
    spooledBytes: count('Their size on its disk.'),
    oldestSpooledAt: Nullable(TimestampOf('Since when the oldest of them waits. Null: none waits.')),
    lagSeconds: count('For how long the oldest of them has been waiting. 0: none waits.'),
    lostCount: count('Reports that it had to drop because its spool was full or damaged.'),
    lastLossAt: Nullable(TimestampOf('When it last dropped one.')),
    refusedCount: count(
      'Items that this service refused for good, such as the registration of an agent when the project has the maximum number of agents.',
    ),
    lastRefusal: Nullable(
      Type.Object(
        {
          at: Timestamp,
          code: Type.String({ examples: ['too_many_agents'] }),
          title: Type.String({ examples: ['Too many agents of one project'] }),
        },
        { description: 'Why the last one was refused. Null: none was.' },
      ),
    ),
    receivedPerMinute: Type.Array(Type.Integer({ minimum: 0 }), {
      description: `How much of what its agents sent has arrived in each of the last ${coreInstanceTrendMinutes} minutes, the current one last. A report of an error counts with its repeats, everything else as one.`,
    }),
    clockOffsetMilliseconds: Nullable(
      Type.Integer({
        description: 'How far its clock is ahead of the clock of this service. Negative: behind it.',
      }),
    ),
    rotatedAt: Nullable(TimestampOf('When it got its current token. Null: when it was created.')),
    revokedAt: Nullable(
      TimestampOf(
        'When its token was revoked because it was found in public. It has to join again with a project token.',
      ),
    ),
  },
  {
    description:
      'A Muster at a site: it takes everything that agents send, keeps it on its disk, and passes it on to this service.',
  },
);
export type CoreInstance = Static<typeof CoreInstance>;

/** Unknown fields are ignored: older clients send settings that do not exist here. */
export const CreateCoreInstance = Type.Object(
  {
    name: Type.Optional(Nullable(name)),
    version: Type.Optional(Nullable(Text(0, 128))),
    instanceKey: Type.Optional(
      Nullable(
        Type.String({
          pattern: '^[0-9A-Za-z_-]{32,64}$',
          description:
            'A random text that the core instance keeps. With the same key, the request is repeatable: it finds the same core instance, which gets a new token. A core instance that was created without a key and was never heard belongs to the first request with its name and a key.',
        }),
      ),
    ),
    tags: Type.Optional(Nullable(Tags)),
    metadata: Type.Optional(Nullable(Metadata)),
  },
  { description: 'A core instance to create. Without a name, it gets one. Other fields are ignored.' },
);
export type CreateCoreInstance = Static<typeof CreateCoreInstance>;

export const CoreInstanceWithToken = Type.Object(
  {
    ...CoreInstance.properties,
    token: Type.String({
      description: 'The whole token, for X-Core-Instance-Token. Only this answer contains it.',
      examples: ['mst_c_…'],
    }),
  },
  { description: 'The core instance and its token.' },
);
export type CoreInstanceWithToken = Static<typeof CoreInstanceWithToken>;

export const UpdateCoreInstance = Type.Object(
  {
    name: Type.Optional(Nullable(name)),
    tags: Type.Optional(Nullable(Tags)),
    metadata: Type.Optional(Nullable(Metadata)),
  },
  {
    description:
      'The fields of a core instance to change: absent and null fields stay as they are. Other fields are ignored.',
  },
);
export type UpdateCoreInstance = Static<typeof UpdateCoreInstance>;

export const RotateCoreInstance = Type.Object(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxGraceSeconds,
        description: `For how long the earlier token is accepted while the new one is not used. Absent: ${defaultCoreInstanceGraceSeconds}.`,
        examples: [defaultCoreInstanceGraceSeconds],
      }),
    ),
  },
  { additionalProperties: false, description: 'What becomes of the earlier token of a core instance.' },
);
export type RotateCoreInstance = Static<typeof RotateCoreInstance>;
