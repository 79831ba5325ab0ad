import { type Static, Type } from 'typebox';
import { ID, Nullable, OneOf, Text, Timestamp, TimestampOf } from './common.ts';

export const agentStatuses = ['healthy', 'unhealthy'] as const;
export type AgentStatus = (typeof agentStatuses)[number];

const Tags = Type.Array(Text(1, 128), { maxItems: 100, examples: [['edge', 'eu-west-1']] });
const Flags = Type.Array(Text(0, 256), {
  description:
    'The arguments that the agent was started with. Secrets in them are replaced before they are stored.',
  maxItems: 64,
  examples: [['--config=/etc/fluent-bit/fluent-bit.conf']],
});

const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description:
    'Secrets in it are replaced before it is stored. What exceeds MUSTER_MAX_METADATA_BYTES_PER_AGENT as JSON is left out, field by field; the answer says so in `Muster-Left-Out`.',
  examples: [{ k8s: { namespace: 'logging', node_name: 'worker-3' } }],
});

const described = {
  type: Nullable(
    Text(0, 64, {
      description: '`fluentbit`, `fluentd`, `vector`, `otelcol` or any other.',
      examples: ['fluentbit'],
    }),
  ),
  version: Nullable(Text(0, 128, { description: 'As the agent gives it.', examples: ['5.1.1'] })),
  edition: Nullable(Text(0, 64, { examples: ['community'] })),
  os: Nullable(Text(0, 64, { examples: ['linux'] })),
  arch: Nullable(Text(0, 64, { examples: ['x86_64'] })),
  flags: Nullable(Flags),
  metadata: Nullable(Metadata),
  tags: Nullable(Tags),
  fleetID: Nullable(
    Text(0, 128, { description: 'The fleet that the agent says it belongs to.', examples: ['edge'] }),
  ),
};

const rawConfig = Type.String({
  description:
    'The configuration that the agent runs. Secrets in it are replaced before it is stored; instead of one with more than 1,048,576 characters, a line is stored that says so.',
  examples: ['[INPUT]\n    Name cpu\n'],
});

/** Longest machine id, in code points. */
export const maxMachineIDLength = 256;

const exampleMachineIDs = ['edge-7.example.com'];
const machineID = Text(1, maxMachineIDLength, {
  description: 'Names the host. The same one in the same project is the same agent.',
  examples: exampleMachineIDs,
});

const exampleNames = ['edge-7'];
const name = Text(1, 256, { description: 'Not unique.', examples: exampleNames });

/** An agent as lists answer it. */
export const Agent = Type.Object(
  {
    id: ID,
    projectID: ID,
    name: Type.String({ examples: exampleNames }),
    machineID: Type.String({ examples: exampleMachineIDs }),
    ...described,
    flags: Flags,
    metadata: Metadata,
    tags: Tags,
    status: OneOf(agentStatuses, {
      description: '`unhealthy`: has an open error of the configuration that it runs.',
    }),
    configID: Nullable(ID),
    lastSeenAt: Timestamp,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    reregisteredAt: Nullable(
      TimestampOf(
        'When its machine was last registered again by a caller that did not send its token. Null: never.',
      ),
    ),
    reregisteredFrom: Nullable(
      Type.String({ description: 'The address that did so.', examples: ['192.0.2.7'] }),
    ),
    releasedAt: Nullable(
      TimestampOf('When an operator released its machine for the next registration. Null: not released.'),
    ),
  },
  { description: 'One process that collects telemetry on one host.' },
);
export type Agent = Static<typeof Agent>;

/** One agent with the configuration that it runs. */
export const AgentWithConfig = Type.Object(
  { ...Agent.properties, rawConfig: Nullable(rawConfig) },
  { description: 'An agent with the configuration that it runs.' },
);
export type AgentWithConfig = Static<typeof AgentWithConfig>;

const optionalDescription = {
  type: Type.Optional(described.type),
  version: Type.Optional(described.version),
  edition: Type.Optional(described.edition),
  os: Type.Optional(described.os),
  arch: Type.Optional(described.arch),
  flags: Type.Optional(described.flags),
  metadata: Type.Optional(described.metadata),
  tags: Type.Optional(described.tags),
  fleetID: Type.Optional(described.fleetID),
  rawConfig: Type.Optional(Nullable(rawConfig)),
};

/** Unknown fields are ignored: agents in the field are older and newer than the service. */
export const RegisterAgent = Type.Object(
  { name, machineID, ...optionalDescription },
  { description: 'What an agent says of itself when it starts. Other fields are ignored.' },
);
export type RegisterAgent = Static<typeof RegisterAgent>;

/** What is absent or null stays as it is: clients in the field send null for what they do not change. */
export const UpdateAgent = Type.Object(
  { name: Type.Optional(Nullable(name)), ...optionalDescription },
  { description: 'What changes of an agent: absent fields and null stay as they are.' },
);
export type UpdateAgent = Static<typeof UpdateAgent>;

export const RegisteredAgent = Type.Object(
  {
    id: ID,
    token: Type.String({
      description:
        'The agent token, for X-Agent-Token. The one before it stays valid until this one has been used.',
      examples: ['mst_a_…'],
    }),
    name: Type.String({ examples: exampleNames }),
    createdAt: Timestamp,
  },
  { description: 'The agent and its token.' },
);
export type RegisteredAgent = Static<typeof RegisteredAgent>;

/** A configuration that the agent ran. */
export const AgentConfig = Type.Object(
  { id: ID, rawConfig, createdAt: Timestamp },
  { description: 'A configuration that an agent ran.' },
);
export type AgentConfig = Static<typeof AgentConfig>;

export const CreatedMetrics = Type.Object(
  { totalInserted: Type.Integer({ minimum: 0, description: 'Samples in the request.' }) },
  { description: 'What was taken of the metrics of an agent.' },
);
export type CreatedMetrics = Static<typeof CreatedMetrics>;
