import { type Static, Type } from 'typebox';
import { RegisterAgent, SendHeartbeat, UpdateAgent } from './agent.ts';
import { ID, IDParameter, Nullable, OneOf, Text } from './common.ts';
import { nextPingSeconds } from './core-instance.ts';
import { Problem } from './problem.ts';

/** The version of what a core instance and this service say to one another. */
export const coreInstanceProtocol = 1;

/** Maximum number of items in a batch. */
export const maxItemsPerBatch = 500;

/** Maximum size of a batch before compression. A single item with a large configuration fits in. */
export const maxBatchBytes = 8 * 1024 * 1024;

/** The oldest time at which something can have happened, in days: earlier times count as this one. */
export const maxItemAgeDays = 7;

const exampleTime = 1_772_446_830_456;

const Milliseconds = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000, description, examples: [exampleTime] });

const at = Milliseconds('When it happened, by the clock of the site, in milliseconds since 1970.');

/** Maximum number of reports that one error of an item stands for. */
export const maxRepeatsOfError = 1_000_000_000;

/** So large that no site has it, and so small that those of all sites can be summed up. */
const maxCount = 10_000_000_000_000;

const count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: maxCount, description, examples: [0] });

const agentID = IDParameter('The agent.');
const tokenID = IDParameter('The project token that was sent.');

const By = Type.Union(
  [
    Type.Object({ tokenID }, { additionalProperties: false }),
    Type.Object({ agentID: IDParameter('The agent whose token was sent.') }, { additionalProperties: false }),
  ],
  { description: 'The credential that the agent sent to the site.' },
);

const FoldedError = Type.Object(
  {
    error: Text(1, 1_024),
    firstAt: at,
    lastAt: at,
    count: Type.Integer({
      minimum: 1,
      maximum: maxRepeatsOfError,
      description: 'How often it was reported.',
    }),
  },
  { description: 'An error, and how often it was reported from its first to its last time.' },
);

/** Maximum number of different errors in one item. */
export const maxErrorsPerItem = 500;

/** The same for all items of a batch. */
export const maxErrorsPerBatch = 5_000;

const errors = Type.Array(FoldedError, { minItems: 1, maxItems: maxErrorsPerItem });

export const CoreInstanceRegistration = Type.Object(
  {
    kind: OneOf(['registration']),
    at,
    agentID: IDParameter('A UUIDv7 that the site gave the agent.'),
    tokenDigest: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 of the agent token that the site gave the agent, in hexadecimal digits.',
    }),
    tokenID,
    agentToken: Type.Optional(
      Text(1, 512, {
        description:
          'The token of its own that the agent sent beside the project token, to prove that it is the agent of this machine.',
      }),
    ),
    agent: RegisterAgent,
  },
  { description: 'An agent registered at the site.' },
);
export type CoreInstanceRegistration = Static<typeof CoreInstanceRegistration>;

export const CoreInstanceUpdate = Type.Object(
  { kind: OneOf(['update']), at, agentID, by: By, agent: UpdateAgent },
  { description: 'An agent told what it is and runs.' },
);
export type CoreInstanceUpdate = Static<typeof CoreInstanceUpdate>;

export const CoreInstanceErrors = Type.Object(
  {
    kind: OneOf(['errors']),
    by: By,
    agentID: Type.Optional(agentID),
    machineID: Type.Optional(Text(1, 256)),
    name: Type.Optional(
      Text(1, 256, { description: 'With `machineID`: the name of the agent if this registers it.' }),
    ),
    errors,
  },
  { description: 'An agent reported errors: by its id, or by its machine id.' },
);
export type CoreInstanceErrors = Static<typeof CoreInstanceErrors>;

export const CoreInstanceHeartbeat = Type.Object(
  {
    kind: OneOf(['heartbeat']),
    at,
    by: By,
    agentID: Type.Optional(agentID),
    machineID: Type.Optional(Text(1, 256)),
    name: Type.Optional(Text(1, 256)),
    heartbeat: Type.Optional(SendHeartbeat),
  },
  { description: 'An agent gave a sign of life: by its id, or by its machine id.' },
);
export type CoreInstanceHeartbeat = Static<typeof CoreInstanceHeartbeat>;

const versionSeconds = {
  minimum: 0,
  maximum: 100_000_000_000,
  examples: [Math.floor(exampleTime / 1_000)],
};

export const CoreInstancePoll = Type.Object(
  {
    kind: OneOf(['poll']),
    at,
    by: By,
    handle: IDParameter('With which the agent alone asks for the configuration of its fleet.'),
    shift: Type.Optional(
      Type.Integer({
        ...versionSeconds,
        description:
          'How much later than these dates those are that the agent gets, because it was moved. Absent: 0.',
      }),
    ),
    offered: Type.Integer({
      ...versionSeconds,
      description: 'The date of the version that the site gave it.',
    }),
    offeredAt: Type.Optional(
      Milliseconds(
        'When it last asked without having that version. Absent: the site does not know, because the agent has had it for long.',
      ),
    ),
    downloaded: Nullable(
      Type.Integer({ ...versionSeconds, description: 'The date of the version that it says it has.' }),
    ),
    isConfirmed: Type.Boolean({
      description:
        'True: it has registered or updated itself at this site since it was offered the version, so it runs it if it has it.',
    }),
  },
  {
    description:
      'An agent asked for the configuration of its fleet. Sent behind everything that came before it, so that no version counts as rejected because a registration waits.',
  },
);
export type CoreInstancePoll = Static<typeof CoreInstancePoll>;

export const CoreInstanceItem = Type.Union(
  [CoreInstanceRegistration, CoreInstanceUpdate, CoreInstanceErrors, CoreInstanceHeartbeat, CoreInstancePoll],
  { description: 'What an agent sent to the site. Items of one agent are applied in their order.' },
);
export type CoreInstanceItem = Static<typeof CoreInstanceItem>;

/** What a core instance says of itself with each batch. */
export const CoreInstanceReport = Type.Object(
  {
    version: Text(1, 128, { examples: ['0.1.0'] }),
    startedAt: Milliseconds('When its process started.'),
    spooledCount: count('Reports that wait at the site beside those of this batch.'),
    spooledBytes: count('Size of its spool on its disk.'),
    oldestSpooledAt: Nullable(Milliseconds('Since when the oldest of them waits. Null: none waits.')),
    lostCount: count('Reports that it had to drop.'),
    lastLossAt: Nullable(Milliseconds('When it last dropped one.')),
    sentAt: Milliseconds('What its clock says while it sends the batch.'),
  },
  { description: 'How the core instance is.' },
);
export type CoreInstanceReport = Static<typeof CoreInstanceReport>;

export const CoreInstanceBatch = Type.Object(
  {
    protocol: Type.Integer({ minimum: 0, examples: [coreInstanceProtocol] }),
    sequence: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Counts the batches of the core instance. The same number again changes nothing.',
      examples: [42],
    }),
    id: Type.Optional(
      IDParameter(
        'Chosen with the number, and the same in every attempt. The number again with another id is of a core instance that has lost its count: the answer has a greater number. Absent: the number alone counts.',
      ),
    ),
    status: CoreInstanceReport,
    items: Type.Array(CoreInstanceItem, {
      maxItems: maxItemsPerBatch,
      description: `None: only a sign of life, or, without an id, a question: it uses up no number, and the answer says what the newest batch is. An item with a mistake is refused alone. All items together have at most ${maxErrorsPerBatch} different errors.`,
      examples: [
        [
          {
            kind: 'errors',
            by: { tokenID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d' },
            machineID: 'edge-7.example.com',
            errors: [
              { error: 'disk full', firstAt: exampleTime - 60_000, lastAt: exampleTime - 1_000, count: 3 },
            ],
          },
        ],
      ],
    }),
  },
  { description: 'What agents sent to the site, in order. Other fields are ignored.' },
);
export type CoreInstanceBatch = Static<typeof CoreInstanceBatch>;

export const CoreInstanceBatchResult = Type.Object(
  {
    sequence: Type.Integer({
      minimum: 0,
      description:
        'The newest batch that is stored: everything up to it can be forgotten. If it is greater than that of the request, the core instance has lost its count, and sends the items again with the number after it.',
    }),
    batchID: Type.Optional(
      Nullable(
        Type.String({
          format: 'uuid',
          description:
            'The id of the newest batch. If it is another one than was sent with that number, the items are sent again with the number after it. Null: it had none.',
        }),
      ),
    ),
    pendingID: Type.Optional(
      Nullable(
        Type.String({
          format: 'uuid',
          description:
            'The id of the batch after it, if that was received whole and is not stored yet: something of it may be. Send it again as it was. Null: there is none.',
        }),
      ),
    ),
    nextPing: Type.String({
      description: 'Send something again no later than after this time.',
      examples: [`${nextPingSeconds}s`],
    }),
    credentialsCursor: Type.String({
      description:
        'Where the list of credentials is now. If it is not the one that the core instance has, something has changed.',
    }),
    fleetGeneration: Type.Optional(
      Type.Integer({
        description: 'Grows with every change of what fleets serve. If it has, ask for the fleets.',
      }),
    ),
    rotateBefore: Nullable(
      Milliseconds(
        'When the token of the request ends, by the clock of this service, because it was rotated. Get another one with `POST /v1/core_instances/self/rotate` now. Null: it is the current one.',
      ),
    ),
    refused: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0, description: 'The place of the item in the batch.' }),
        error: Problem,
      }),
      {
        description: 'Items that were not applied, and why. Sending them again would be refused again.',
      },
    ),
    aliases: Type.Array(
      Type.Object({ agentID: ID, canonicalID: ID }, { description: 'Ids of the same agent.' }),
      {
        description:
          'Agents that registered at the site and that this service knows under another id: both are accepted for ever.',
      },
    ),
  },
  { description: 'What was stored of a batch.' },
);
export type CoreInstanceBatchResult = Static<typeof CoreInstanceBatchResult>;

/** A credential that agents of the project may send to the site. */
const SiteCredential = Type.Object({
  kind: OneOf(['project', 'agent']),
  digest: Type.String({ description: 'SHA-256 of the whole value, in hexadecimal digits.' }),
  id: Nullable(
    Type.String({ format: 'uuid', description: 'Of the project token or the agent. Null: it is gone.' }),
  ),
  permissions: Type.Array(Type.String()),
  networks: Type.Array(Type.Array(Type.String()), {
    description:
      'Lists of networks from which it may be used: the address is in a network of each list. None: from everywhere.',
  }),
  rates: Type.Array(
    Type.Object({
      tokenID: ID,
      reportsPerSecond: Type.Integer({ minimum: 1 }),
    }),
    {
      description:
        'Limits on its reports: its own, and those of the tokens on which it depends, each shared by all that depend on that token.',
    },
  ),
  expiresAt: Nullable(Milliseconds('When it expires. Null: never.')),
  revoked: Type.Boolean({ description: 'True: refuse it from now on.' }),
  deleted: Type.Boolean({
    description: 'True: its agent was deleted. Refuse what concerns the agent with 410.',
  }),
});

/** The limits of the service that a site applies to agents, because it answers them. */
const SiteLimits = Type.Object(
  {
    newErrorsPerAgentPerMinute: count('One cause may have a quarter of them, at least 10.'),
    newErrorsPerProjectPerSecond: count('At this site.'),
    invalidCredentialsPerAddressPerMinute: count('At this site.'),
    registration: Type.Optional(
      OneOf(['open', 'once'], {
        description:
          '`once`: an agent that registers again without proving what it is gets another id, until this service has judged. Absent: `open`.',
      }),
    ),
  },
  { description: 'Limits that the site applies to agents, as this service does. 0: no limit.' },
);

export const SiteCredentials = Type.Object(
  {
    limits: SiteLimits,
    cursor: Type.String({ description: 'Ask with it for what follows.' }),
    reset: Type.Boolean({ description: 'True: forget all that you know, the list begins anew.' }),
    more: Type.Boolean({ description: 'True: ask again at once.' }),
    items: Type.Array(SiteCredential),
  },
  { description: 'A page of the credentials of the project, or of what has changed of them.' },
);
export type SiteCredentials = Static<typeof SiteCredentials>;
