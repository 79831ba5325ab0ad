import { type Static, Type } from 'typebox';
import { agentStatuses } from '../agent-statuses.ts';
import { OpenAgentError } from './agent-error.ts';
import { ID, Nullable, OneOf, Text, Timestamp, TimestampOf } from './common.ts';
import { type AgentFleetState, agentFleetStates } from './fleet.ts';

const Tags = Type.Array(Text(1, 128), { maxItems: 100, examples: [['edge', 'eu-west-1']] });
const Flags = Type.Array(Text(0, 256), {
  description: 'The arguments that started the agent. Secrets in them are replaced before they are stored.',
  maxItems: 64,
  examples: [['--config=/etc/fluent-bit/fluent-bit.conf']],
});

const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description:
    'Secrets in it are replaced before it is stored. Fields that would exceed MUSTER_MAX_METADATA_BYTES_PER_AGENT, measured as JSON, are left out; the answer then has `Muster-Left-Out`.',
  examples: [{ k8s: { namespace: 'logging', node_name: 'worker-3' } }],
});

const described = {
  type: Nullable(
    Text(0, 64, {
      description: '`fluentbit`, `fluentd`, `vector`, `otelcol` or any other type.',
      examples: ['fluentbit'],
    }),
  ),
  version: Nullable(Text(0, 128, { description: 'As the agent reports it.', examples: ['5.1.1'] })),
  edition: Nullable(Text(0, 64, { examples: ['community'] })),
  os: Nullable(Text(0, 64, { examples: ['linux'] })),
  arch: Nullable(Text(0, 64, { examples: ['x86_64'] })),
  flags: Nullable(Flags),
  metadata: Nullable(Metadata),
  tags: Nullable(Tags),
  fleetID: Nullable(
    Text(0, 128, {
      description: 'The fleet that the agent reports; in answers, the id of that fleet if there is one here.',
      examples: ['edge'],
    }),
  ),
};

const rawConfig = Type.String({
  description:
    'The configuration that the agent runs. Secrets in it are replaced before it is stored. If it has more than 1,048,576 characters, only a line that says so is stored.',
  examples: ['[INPUT]\n    Name cpu\n'],
});

/** Maximum length of a machine id, in code points. */
export const maxMachineIDLength = 256;

const exampleMachineIDs = ['edge-7.example.com'];
const machineID = Text(1, maxMachineIDLength, {
  description: 'Identifies the host. Within a project, the same machine id is the same agent.',
  examples: exampleMachineIDs,
});

const exampleNames = ['edge-7'];
const name = Text(1, 256, { description: 'Not unique.', examples: exampleNames });

/** The fleet of an agent, and how far it is with its version. */
const AgentFleet = Type.Unsafe<{
  readonly id: string;
  readonly name: string;
  readonly versionID: string | null;
  readonly versionNumber: number | null;
  readonly state: AgentFleetState;
  readonly isDrifted: boolean;
} | null>({
  ...Type.Object({
    id: ID,
    name: Type.String({ examples: ['edge'] }),
    versionID: Nullable(
      Type.String({
        format: 'uuid',
        description: 'The newest version that is for it. Null: it is not known.',
      }),
    ),
    versionNumber: Nullable(Type.Integer({ minimum: 1 })),
    state: OneOf(agentFleetStates, {
      description:
        'How far it is with that version. `offered`: it was told of it. `downloaded`: it has it, and has not said yet that it runs it. `applied`: it runs it. `rejected`: it has had it for more than a minute, and still runs what it ran before. `unknown`: agents that all ask with the id of their fleet are known only when they report another configuration.',
    }),
    isDrifted: Type.Boolean({
      description: 'True: it runs other plugins than the first agent that ran this version.',
    }),
  }),
  type: ['object', 'null'],
  description: 'Null: it is in no fleet of this service.',
});

/** An agent as it appears in lists. */
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
      description:
        'The first that applies. `unknown`: a core instance speaks for it, and that one is not heard. `stopped`: it said that it ends, without a failure, and was not heard since. `unhealthy`: it ended with a failure and was not heard since. `offline`: it promised signs of life, and three of its intervals (at least 90 seconds) passed without one. `unhealthy`: it is in a crash loop, or has an open error of the configuration that it runs. `healthy`: everything else.',
    }),
    statusSince: TimestampOf(
      'Since when the agent is in this state: it ended, was missed, first failed, or its oldest open error was created. Of a healthy agent, when it last stopped being anything else, or was registered.',
    ),
    statusReason: Nullable(
      Type.String({
        description: 'Why it is in this state, in a sentence. Null: it is healthy.',
        examples: ['Has 2 open errors of its current configuration.'],
      }),
    ),
    openErrorsCount: Type.Integer({
      minimum: 0,
      description: 'Open errors of the configuration that it runs.',
    }),
    openError: Type.Union([OpenAgentError, Type.Null()], {
      description: 'The oldest of them. Null: there is none, or the caller has no `read:agent_error`.',
    }),
    configID: Nullable(ID),
    fleet: AgentFleet,
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
    coreInstanceID: Nullable(
      Type.String({
        format: 'uuid',
        description: 'The core instance that last spoke for it. Null: it spoke itself.',
      }),
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

const heartbeatSeconds = Type.Integer({
  minimum: 0,
  maximum: 86_400,
  description:
    'The agent promises a sign of life (heartbeat, metrics or report) at least this often. After three times as long without one, at least 90 seconds, it is `offline`. 0: it promises nothing. Absent: it stays as it was; an agent that never said it is expected as often as its last heartbeats or metrics came.',
  examples: [30],
});

const optionalDescription = {
  heartbeatSeconds: Type.Optional(Nullable(heartbeatSeconds)),
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

/** Unknown fields are ignored: agents can be older or newer than the service. */
export const RegisterAgent = Type.Object(
  { name, machineID, ...optionalDescription },
  { description: 'What an agent reports about itself when it starts. Other fields are ignored.' },
);
export type RegisterAgent = Static<typeof RegisterAgent>;

/** Absent and null fields stay as they are: existing agents send null for fields that they do not change. */
export const UpdateAgent = Type.Object(
  { name: Type.Optional(Nullable(name)), ...optionalDescription },
  { description: 'The fields of an agent to change: absent and null fields stay as they are.' },
);
export type UpdateAgent = Static<typeof UpdateAgent>;

export const RegisteredAgent = Type.Object(
  {
    id: ID,
    token: Type.String({
      description:
        'The agent token, for X-Agent-Token. The previous token stays valid until this one has been used.',
      examples: ['mst_a_…'],
    }),
    name: Type.String({ examples: exampleNames }),
    createdAt: Timestamp,
  },
  { description: 'The agent and its token.' },
);
export type RegisteredAgent = Static<typeof RegisteredAgent>;

/** The result of a deletion of many agents. */
export const DeletedAgents = Type.Object(
  {
    agentsCount: Type.Integer({
      minimum: 0,
      description: 'Exact: the agents that this request has deleted; in a dry run, those that match.',
    }),
    dryRun: Type.Boolean({ description: 'True: nothing was deleted.' }),
  },
  { description: 'How many agents were deleted.' },
);
export type DeletedAgents = Static<typeof DeletedAgents>;

/** Maximum number of fleets that are listed. */
export const maxListedFleets = 1_000;

/** The fleets of a project, as its agents report them. */
export const ReportedFleets = Type.Object(
  {
    fleets: Type.Array(
      Type.Object({
        id: Type.String({ description: 'As the agents report it.', examples: ['edge'] }),
        name: Nullable(Type.String({ description: 'Null: it was not created in this service.' })),
        agentsCount: Type.Integer({ minimum: 1 }),
      }),
      { maxItems: maxListedFleets, description: 'In the order of their ids.' },
    ),
  },
  { description: 'The fleets that agents of a project report, with the number of their agents.' },
);
export type ReportedFleets = Static<typeof ReportedFleets>;

/** A configuration that the agent has run. */
export const AgentConfig = Type.Object(
  { id: ID, rawConfig, createdAt: Timestamp },
  { description: 'A configuration that an agent has run.' },
);
export type AgentConfig = Static<typeof AgentConfig>;

const ComparedConfig = Type.Object({ id: ID, createdAt: Timestamp });

/** The difference of two configurations of one agent. */
export const AgentConfigDiff = Type.Object(
  {
    from: Nullable(ComparedConfig),
    to: ComparedConfig,
    diff: Type.String({
      description:
        'Unified format, with three lines around each change. Empty: as stored, without their secrets, the configurations are equal. Its lines can contain control characters.',
      examples: [
        '--- 0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d\t2026-03-02T10:20:30.456Z\n+++ 0192f0b2-11d4-7e0b-8c6f-2a7d9e5b1c3f\t2026-03-02T11:02:03.004Z\n@@ -1,2 +1,2 @@\n [OUTPUT]\n-    Host es-1\n+    Host es-2\n',
      ],
    }),
    addedLines: Type.Integer({ minimum: 0 }),
    removedLines: Type.Integer({ minimum: 0 }),
    isCoarse: Type.Boolean({
      description:
        'True: more than 1,000 lines differ, or more than 20,000 lines lie between the first and the last difference. Everything between these two is then shown as replaced.',
    }),
  },
  { description: 'The difference of two configurations. `from` is null if there is none before `to`.' },
);
export type AgentConfigDiff = Static<typeof AgentConfigDiff>;

/** A signal by its name, as in `kill -l`. */
const signalPattern = '^SIG[A-Z0-9+-]{1,24}$';

/** Other fields and other bodies are ignored: stock agents send what their outputs make of a record. */
export const SendHeartbeat = Type.Object(
  {
    heartbeatSeconds: Type.Optional(heartbeatSeconds),
    status: Type.Optional(
      OneOf(['running', 'stopped'], { description: 'Absent: `running`. `stopped`: the agent ends now.' }),
    ),
    exitCode: Type.Optional(
      Type.Integer({
        minimum: -2_147_483_648,
        maximum: 4_294_967_295,
        description:
          'With `stopped`: the exit code of its process. 0, 130 and 143 are no failures (128 and the number of SIGINT or SIGTERM).',
      }),
    ),
    signal: Type.Optional(
      Type.String({
        pattern: signalPattern,
        examples: ['SIGTERM'],
        description: 'With `stopped`: the signal that ended its process. SIGTERM and SIGINT are no failures.',
      }),
    ),
  },
  { description: 'What an agent says with a sign of life. Other fields are ignored.' },
);
export type SendHeartbeat = Static<typeof SendHeartbeat>;

export const CreatedMetrics = Type.Object(
  { totalInserted: Type.Integer({ minimum: 0, description: 'Samples in the request.' }) },
  { description: 'How many samples of the metrics were accepted.' },
);
export type CreatedMetrics = Static<typeof CreatedMetrics>;
