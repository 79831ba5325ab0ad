import { type Static, Type } from 'typebox';
import { ID, IDParameter, Nullable, OneOf, Text, Timestamp } from './common.ts';

const Url = (description: string) =>
  Type.String({
    maxLength: 2_048,
    pattern: '^https?://[^\\s]+$',
    description,
    examples: ['https://muster.example.com'],
  });
const exampleID = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d';
const RunID = IDParameter('The run of the command: it chooses a new id each time it is started.', {
  examples: [exampleID],
});
const Version = Type.String({ description: 'Of the service.', examples: ['0.1.0'] });
const Migrations = Type.Array(Type.String({ examples: ['0001-initial'] }), {
  description: 'What has made the tables of its database, in order.',
  examples: [['0001-initial']],
});
const PublicKey = Type.String({
  maxLength: 128,
  description: 'For the secrets of the project: an X25519 key (RFC 8410) in base64.',
});

/** What the source does with the project. */
export const departureSteps = ['begin', 'copy', 'freeze', 'leave', 'thaw'] as const;

export const DepartProject = Type.Object(
  {
    step: OneOf(departureSteps, {
      examples: ['begin'],
      description:
        '`begin`: nothing but the answer. `copy`: the run is in charge from now on, and reads rows with its `publicKey`. `freeze`: nothing is written to the project for at most five minutes, each time anew. `leave`: it has moved, and never accepts anything again. `thaw`: a freeze ends early.',
    }),
    runID: RunID,
    targetURL: Url('The address of the installation to which it moves, for its agents.'),
    publicKey: Type.Optional(Nullable(PublicKey)),
    insteadOf: Type.Optional(
      Url(
        'With `begin` and `copy`: where the project has left for. That installation is lost, or has never taken it.',
      ),
    ),
  },
  { description: 'A step of a project that leaves.' },
);
export type DepartProject = Static<typeof DepartProject>;

export const Departure = Type.Object(
  {
    projectID: ID,
    name: Type.String({ description: 'Of the project.', examples: ['Edge'] }),
    state: OneOf(['here', 'frozen', 'moved']),
    targetURL: Nullable(Url('Where it moves. Null: it is here.')),
    frozenUntil: Nullable(Timestamp),
    settledInMilliseconds: Type.Integer({
      minimum: 0,
      description: 'Until then, other replicas may still write what they had accepted before it was frozen.',
    }),
    lastEvent: Type.Integer({ minimum: 0, description: 'The number of its last event. 0: it has none.' }),
    version: Version,
    migrations: Migrations,
    tables: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['agents'] }),
        isReplaced: Type.Boolean({ description: 'Rows are removed before those that differ are written.' }),
      }),
      { description: 'Of which rows move, in the order in which they are written.' },
    ),
  },
  { description: 'A project, seen from the installation that it leaves.' },
);
export type Departure = Static<typeof Departure>;

const Value = Type.Unsafe<null | number | string | { readonly base64: string }>({
  description: 'A number, a text, null, or bytes as `{"base64": …}`.',
});
const Row = Type.Array(Value, { description: 'In the order of `columns`.' });
const Key = Type.Array(Type.Unsafe<string | number>({ type: ['string', 'number'] }), {
  maxItems: 4,
  description: 'The values of the columns that order the table.',
});
const Table = Text(1, 64, { description: 'One of `tables`.', examples: ['agents'] });

const digest = {
  rowsCount: Type.Integer({ minimum: 0, description: 'Number of rows in the range.' }),
  digest: Type.String({ description: 'Over all values of these rows but secrets. Empty: there are none.' }),
};

export const ReadDepartingRows = Type.Object(
  {
    table: Table,
    after: Type.Optional(Nullable(Key)),
    withRows: Type.Optional(Type.Boolean({ description: 'False: only their digest. Absent: true.' })),
    publicKey: Type.Optional(Nullable(PublicKey)),
  },
  { description: 'A page of the rows of a project that leaves.' },
);
export type ReadDepartingRows = Static<typeof ReadDepartingRows>;

export const DepartingRows = Type.Object(
  {
    columns: Type.Array(Type.String({ examples: ['id'] })),
    rows: Type.Array(Row),
    last: Nullable(Key),
    ...digest,
  },
  { description: 'A page of the rows of a project. `last` is null after the last page.' },
);
export type DepartingRows = Static<typeof DepartingRows>;

export const BeginArrival = Type.Object(
  {
    projectID: IDParameter('The project.', { examples: [exampleID] }),
    name: Text(1, 128, { description: 'Of the project.', examples: ['Edge'] }),
    runID: RunID,
    sourceURL: Url('The address of the installation from which it comes.'),
    version: Version,
    migrations: Migrations,
  },
  { description: 'A project that is to arrive.' },
);
export type BeginArrival = Static<typeof BeginArrival>;

export const Arrival = Type.Object(
  {
    projectID: ID,
    state: OneOf(['arriving', 'arrived']),
    publicKey: Nullable(PublicKey),
  },
  { description: 'A project, seen from the installation where it arrives.' },
);
export type Arrival = Static<typeof Arrival>;

export const WriteArrivingRows = Type.Object(
  {
    runID: RunID,
    table: Table,
    after: Type.Optional(Nullable(Key)),
    through: Type.Optional(Nullable(Key)),
    columns: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 128 })),
    rows: Type.Optional(Type.Array(Row, { maxItems: 1_000 })),
  },
  { description: 'A range of the rows of a project that arrives.' },
);
export type WriteArrivingRows = Static<typeof WriteArrivingRows>;

export const ArrivingRows = Type.Object(digest, { description: 'What the range holds now.' });
export type ArrivingRows = Static<typeof ArrivingRows>;

export const FinishArrival = Type.Object(
  {
    runID: RunID,
    lastEvent: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'The number of its last event at the source: those here follow. Absent: they begin with the first.',
      }),
    ),
  },
  { description: 'The end of an arrival.' },
);
export type FinishArrival = Static<typeof FinishArrival>;
