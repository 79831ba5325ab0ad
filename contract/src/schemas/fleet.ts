import { type Static, Type } from 'typebox';
import { FleetConfigFormatName, fleetConfigFormats } from '../fleet-config-format.ts';
import { Actor, ID, Nullable, OneOf, Text, Timestamp, TimestampOf } from './common.ts';

/** Maximum number of fleets of one project that are not deleted. */
export const maxFleetsPerProject = 1_000;

/** Maximum size of a configuration, in bytes of UTF-8. Agents read answers of at most 10 MiB. */
export const maxFleetConfigBytes = 1_048_576;

/** Maximum size of one file of a fleet, and of all its files together, in bytes. */
export const maxFleetFileBytes = 1_048_576;
export const maxFleetFilesBytes = 4_194_304;

/** Maximum number of files of a fleet. */
export const maxFleetFiles = 100;

/** An agent asks for its configuration about this often, unless it was told otherwise. */
export const fleetPollSeconds = 15;

/** An agent that has downloaded a version, polls on for this long and does not run it has rejected it: two polls and half a minute, and at least this. */
export const fleetRejectedAfterSeconds = 75;

/**
 * How far an agent is with the newest version of its fleet that is for it. `offered`: it was told of it. `downloaded`: it has it, and is not known to run it.
 * `applied`: it runs it. `rejected`: it has had it for a while, and still runs what it ran before.
 */
export const agentFleetStates = ['unknown', 'offered', 'downloaded', 'applied', 'rejected'] as const;
export type AgentFleetState = (typeof agentFleetStates)[number];

/** Agents write it into URLs as it is. */
const fleetNamePattern = '^[A-Za-z0-9._~-]{1,32}$';

const exampleNames = ['edge'];
const Name = Type.String({
  pattern: fleetNamePattern,
  description:
    'Unique among the fleets of the project. 1 to 32 ASCII letters, digits and `.` `_` `~` `-`, because agents write it into URLs as it is.',
  examples: exampleNames,
});

const Tags = Type.Array(Text(1, 128), { maxItems: 100, examples: [['eu']] });

const RawConfig = Type.String({
  description: `The configuration, at most ${maxFleetConfigBytes} bytes in UTF-8.`,
  examples: ['[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n'],
});

const MinimumVersion = Type.String({
  pattern: '^$|^v?[0-9]{1,6}\\.[0-9]{1,6}\\.[0-9]{1,6}([-+][0-9A-Za-z.+-]{1,64})?$',
  description: 'The oldest version of Fluent Bit that the configuration is for. Empty: any.',
  examples: ['3.2.0'],
});

export const fleetReportings = ['on', 'off'] as const;
const Reporting = OneOf(fleetReportings, {
  description:
    '`on`: the service appends a block to each configuration that it serves, with which agents report their own errors. The configuration of a fleet replaces the whole local one, so that without it their errors are not seen.',
});

const skipConfigValidation = Type.Boolean({
  description:
    'True: plugins and properties that are not known are accepted. What could harm an agent is refused all the same.',
});

export const FleetConfigFinding = Type.Object(
  {
    severity: OneOf(['error', 'warning']),
    code: Type.String({ examples: ['unknown_plugin'] }),
    message: Type.String({ description: 'What is wrong.', examples: ["There is no input 'dumy'."] }),
    remedy: Type.Optional(Type.String({ description: 'What to do.', examples: ["Write 'dummy'."] })),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
    column: Type.Optional(Type.Integer({ minimum: 1 })),
    file: Type.Optional(Type.String({ description: 'The file that it is in. Absent: the configuration.' })),
  },
  { description: 'Something that is wrong with a configuration.' },
);
export type FleetConfigFinding = Static<typeof FleetConfigFinding>;

const Findings = Type.Array(FleetConfigFinding, {
  description: 'What is wrong with it. A version is only created without errors, so that these are warnings.',
});

const count = (description: string) => Type.Integer({ minimum: 0, description });

const AgentsCount = Type.Object({
  active: count('Agents that are heard.'),
  inactive: count('Agents that are offline, stopped or unknown.'),
  withErrors: count('Agents that are unhealthy.'),
  errors: count('The same as `withErrors`, for older clients.'),
});

const CurrentVersion = Type.Object({
  id: ID,
  number: Type.Integer({ minimum: 1 }),
  publishedAt: TimestampOf('Since when agents get it.'),
});

export const Fleet = Type.Object(
  {
    id: ID,
    projectID: ID,
    name: Type.String({ examples: exampleNames }),
    minFluentBitVersion: Type.String({ description: 'Empty: any.' }),
    rawConfig: Type.String({ description: 'The configuration that agents get. Empty: there is none yet.' }),
    configFormat: OneOf(fleetConfigFormats),
    tags: Tags,
    reporting: Reporting,
    currentVersion: Nullable(CurrentVersion),
    agentsCount: AgentsCount,
    createdAt: Timestamp,
    createdBy: Actor,
    updatedAt: Timestamp,
  },
  { description: 'Agents with a common configuration, which they get from the service.' },
);
export type Fleet = Static<typeof Fleet>;

const files = Type.Array(
  Type.Object({
    name: Type.String({ maxLength: 255 }),
    contents: Type.String({ description: 'Base64 with padding.' }),
  }),
  { maxItems: maxFleetFiles },
);

/** Unknown fields are ignored: older clients send more. */
export const CreateFleet = Type.Object(
  {
    name: Name,
    minFluentBitVersion: Type.Optional(Nullable(MinimumVersion)),
    rawConfig: Type.Optional(Nullable(RawConfig)),
    configFormat: Type.Optional(Nullable(FleetConfigFormatName)),
    tags: Type.Optional(Nullable(Tags)),
    reporting: Type.Optional(Nullable(Reporting)),
    note: Type.Optional(Nullable(Text(0, 1_000, { description: 'What the first version is about.' }))),
    skipConfigValidation: Type.Optional(Nullable(skipConfigValidation)),
  },
  { description: 'A fleet to create. Other fields are ignored.' },
);
export type CreateFleet = Static<typeof CreateFleet>;

export const CreatedFleet = Type.Object(
  {
    id: ID,
    versionID: Nullable(
      Type.String({ format: 'uuid', description: 'Its first version. Null: it has none.' }),
    ),
    createdAt: Timestamp,
  },
  { description: 'The new fleet.' },
);
export type CreatedFleet = Static<typeof CreatedFleet>;

export const UpdateFleet = Type.Object(
  {
    name: Type.Optional(Nullable(Name)),
    minFluentBitVersion: Type.Optional(Nullable(MinimumVersion)),
    rawConfig: Type.Optional(Nullable(RawConfig)),
    configFormat: Type.Optional(Nullable(FleetConfigFormatName)),
    tags: Type.Optional(Nullable(Tags)),
    reporting: Type.Optional(Nullable(Reporting)),
    versionID: Type.Optional(
      Nullable(
        Type.String({
          format: 'uuid',
          description:
            'A version of this fleet: all agents get it, with its files. It cannot be sent with `rawConfig`.',
        }),
      ),
    ),
    note: Type.Optional(Nullable(Text(0, 1_000, { description: 'What the new version is about.' }))),
    skipConfigValidation: Type.Optional(Nullable(skipConfigValidation)),
    despiteBad: Type.Optional(
      Nullable(
        Type.Boolean({
          description: 'True: agents get it also if a rollout of this version was stopped by itself before.',
        }),
      ),
    ),
  },
  {
    description:
      'The fields of a fleet to change: absent and null fields stay as they are. Other fields are ignored.',
  },
);
export type UpdateFleet = Static<typeof UpdateFleet>;

export const UpdatedFleet = Type.Object(
  {
    updatedAt: Timestamp,
    versionID: Nullable(
      Type.String({
        format: 'uuid',
        description: 'The version that agents get now. Null: there is none yet.',
      }),
    ),
  },
  { description: 'When the fleet was changed, and the version that agents get.' },
);
export type UpdatedFleet = Static<typeof UpdatedFleet>;

export const DeletedFleet = Type.Object(
  { deleted: Type.Boolean(), deletedAt: Timestamp },
  { description: 'When the fleet was deleted.' },
);
export type DeletedFleet = Static<typeof DeletedFleet>;

/** Maximum number of agents that are moved at once. */
export const maxMovedAgents = 500;

export const MoveAgents = Type.Object(
  {
    agentIDs: Type.Array(Type.String({ format: 'uuid' }), {
      minItems: 1,
      maxItems: maxMovedAgents,
      description: 'Agents of the project of the fleet.',
      examples: [['0197a3c2-7b4e-7f1a-9c3d-2e5f8a1b4c6d']],
    }),
  },
  { additionalProperties: false, description: 'Agents to move.' },
);
export type MoveAgents = Static<typeof MoveAgents>;

export const MovedAgents = Type.Object(
  { movedCount: count('Agents that were in another fleet. The others were in this one already.') },
  { description: 'How many agents were moved.' },
);
export type MovedAgents = Static<typeof MovedAgents>;

export const FleetsStatus = Type.Object(
  {
    managed: count('Agents of fleets.'),
    healthy: count('Agents that run the version that they are to run, and are healthy.'),
    inProgress: count('Agents that do not run the version yet that they are to run.'),
    unhealthy: count(
      'Agents that are unhealthy, have rejected the version, or are not heard. They are not counted as in progress.',
    ),
  },
  { description: 'How many agents run what they are to run.' },
);
export type FleetsStatus = Static<typeof FleetsStatus>;

const FileName = Type.String({
  minLength: 1,
  maxLength: 255,
  description:
    'Without a path: agents write the file next to their configuration, which refers to it by this name.',
  examples: ['parsers.conf'],
});

const Contents = Type.String({
  description: 'The bytes of the file in Base64 (RFC 4648, with padding).',
  examples: ['W1BBUlNFUl0KICAgIE5hbWUganNvbgogICAgRm9ybWF0IGpzb24K'],
});

export const FleetFile = Type.Object(
  { id: ID, name: FileName, contents: Contents, createdAt: Timestamp, updatedAt: Timestamp },
  { description: 'A file that agents get beside their configuration, such as one with parsers.' },
);
export type FleetFile = Static<typeof FleetFile>;

/** Unknown fields are ignored. */
export const CreateFleetFile = Type.Object(
  { name: FileName, contents: Contents },
  { description: 'A file to add.' },
);
export type CreateFleetFile = Static<typeof CreateFleetFile>;

export const CreatedFleetFile = Type.Object(
  { id: ID, createdAt: Timestamp },
  { description: 'The new file.' },
);
export type CreatedFleetFile = Static<typeof CreatedFleetFile>;

export const UpdateFleetFile = Type.Object(
  { name: Type.Optional(Nullable(FileName)), contents: Type.Optional(Nullable(Contents)) },
  { description: 'What to change of a file: absent and null fields stay as they are.' },
);
export type UpdateFleetFile = Static<typeof UpdateFleetFile>;

const versionFields = {
  id: ID,
  fleetID: ID,
  number: Type.Integer({ minimum: 1, description: 'Counts the versions of the fleet.' }),
  configFormat: OneOf(fleetConfigFormats),
  files: Type.Array(
    Type.Object({
      name: FileName,
      digest: Type.String({ description: 'SHA-256 of its bytes, in hexadecimal digits.' }),
      bytes: count('Its size.'),
    }),
  ),
  digest: Type.String({ description: 'SHA-256 of all that the version is made of, in hexadecimal digits.' }),
  note: Nullable(Type.String({ description: 'What it is about. Null: nothing was said.' })),
  isCurrent: Type.Boolean({ description: 'True if agents get it.' }),
  isBad: Type.Boolean({ description: 'True if a rollout of it has stopped by itself.' }),
  createdAt: Timestamp,
  createdBy: Actor,
  findings: Findings,
};

/** As it appears in lists. */
export const FleetVersion = Type.Object(versionFields, {
  description: 'A configuration of a fleet with its files. It never changes.',
});
export type FleetVersion = Static<typeof FleetVersion>;

export const FleetVersionWithConfig = Type.Object(
  { ...versionFields, rawConfig: RawConfig },
  { description: 'A version with its configuration.' },
);
export type FleetVersionWithConfig = Static<typeof FleetVersionWithConfig>;

/** Either a configuration, or an earlier version again. */
export const CreateFleetVersion = Type.Object(
  {
    rawConfig: RawConfig,
    configFormat: Type.Optional(Nullable(FleetConfigFormatName)),
    files: Type.Optional(Nullable(files)),
    note: Type.Optional(Nullable(Text(0, 1_000))),
    skipConfigValidation: Type.Optional(Nullable(skipConfigValidation)),
  },
  { description: 'A version to create. Without `files`, it has those that the fleet has now.' },
);
export type CreateFleetVersion = Static<typeof CreateFleetVersion>;

export const ValidateFleetConfig = Type.Object(
  {
    rawConfig: Type.Optional(Nullable(RawConfig)),
    configFormat: Type.Optional(Nullable(FleetConfigFormatName)),
    files: Type.Optional(Nullable(files)),
    skipConfigValidation: Type.Optional(Nullable(skipConfigValidation)),
  },
  { description: 'A configuration to check. Absent fields: as the fleet has them now.' },
);
export type ValidateFleetConfig = Static<typeof ValidateFleetConfig>;

export const ValidatedFleetConfig = Type.Object(
  {
    isValid: Type.Boolean({ description: 'True if there is no error.' }),
    findings: Type.Array(FleetConfigFinding, { description: 'Errors and warnings.' }),
  },
  { description: 'What is wrong with a configuration.' },
);
export type ValidatedFleetConfig = Static<typeof ValidatedFleetConfig>;

const ComparedVersion = Type.Object({ id: ID, number: Type.Integer({ minimum: 1 }), createdAt: Timestamp });
const FileNames = Type.Array(FileName);

export const FleetVersionDiff = Type.Object(
  {
    from: Nullable(ComparedVersion),
    to: ComparedVersion,
    diff: Type.String({
      description:
        'Unified format, with three lines around each change. Empty: the configurations are equal. Its lines can contain control characters.',
    }),
    addedLines: count('Lines that only `to` has.'),
    removedLines: count('Lines that only `from` has.'),
    isCoarse: Type.Boolean({
      description:
        'True: more than 1,000 lines differ, or more than 20,000 lines lie between the first and the last difference. Everything between these two is then shown as replaced.',
    }),
    addedFiles: FileNames,
    changedFiles: FileNames,
    removedFiles: FileNames,
  },
  { description: 'The difference of two versions. `from` is null if there is none before `to`.' },
);
export type FleetVersionDiff = Static<typeof FleetVersionDiff>;

/** With each name twice, because clients of different ages read different ones. */
export const SearchResult = Type.Object(
  { id: Type.String(), name: Type.String(), ID: Type.String(), Name: Type.String() },
  { description: 'Something that was found.' },
);
export type SearchResult = Static<typeof SearchResult>;
