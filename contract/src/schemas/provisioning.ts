import { type Static, Type } from 'typebox';
import { IDParameter, Nullable, OneOf, Text } from './common.ts';
import { CreateFleet, CreateFleetVersion } from './fleet.ts';
import { AddMember } from './member.ts';
import { CreateProject } from './project.ts';
import { CreateToken, maxGraceSeconds, UpdateToken } from './token.ts';

/** For how long the value of a token stays valid that another one replaces, if the file does not say. */
export const provisionedGraceSeconds = 86_400;

/** Maximum number of projects, members, tokens and fleets of one file, taken together. */
export const maxProvisionedItems = 1_000;

const maxItems = { maxItems: maxProvisionedItems };

const ProvisionedMember = Type.Object(
  {
    userID: Type.Optional(
      IDParameter('A user of this installation, as `muster user list` shows it.', {
        examples: ['0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d'],
      }),
    ),
    subject: Type.Optional(
      Text(1, 255, {
        description:
          'Instead of userID: the id of the user at the identity provider (the claim `sub`). The user need not have signed in yet.',
        examples: ['f:6f1c:ada'],
      }),
    ),
    role: AddMember.properties.role,
    permissions: AddMember.properties.permissions,
  },
  {
    additionalProperties: false,
    description: 'A user, by userID or subject, with a role or a list of permissions.',
  },
);

/** What a file says of a token, besides its value. */
export const provisionedTokenFields = {
  name: CreateToken.properties.name,
  permissions: UpdateToken.properties.permissions,
  expiresAt: UpdateToken.properties.expiresAt,
  allowedNetworks: UpdateToken.properties.allowedNetworks,
  reportsPerSecond: UpdateToken.properties.reportsPerSecond,
  graceSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maxGraceSeconds,
      description: `For how long the value before this one stays valid when this one replaces it. Absent: ${provisionedGraceSeconds}, a day. 0: it ends at once.`,
      examples: [provisionedGraceSeconds],
    }),
  ),
};

const ProvisionedToken = Type.Object(
  {
    ...provisionedTokenFields,
    value: Text(1, 512, {
      description:
        'The value of the token, as `muster token generate` makes it. It contains the ids of the project and of the token.',
    }),
  },
  {
    additionalProperties: false,
    description:
      'A project token with a value that is chosen beforehand. Absent fields stay as they are; a new token gets the defaults.',
  },
);

/** What a file says of a fleet, besides its configuration. */
export const provisionedFleetFields = {
  name: CreateFleet.properties.name,
  configFormat: CreateFleet.properties.configFormat,
  reporting: CreateFleet.properties.reporting,
  allAtOnce: Type.Optional(
    Type.Boolean({
      description:
        'True: all agents of the fleet get another configuration, or another `reporting`, at once and without a rollout. Absent: another configuration only becomes a version, which agents get by a rollout.',
    }),
  ),
};

const ProvisionedFleet = Type.Object(
  { ...provisionedFleetFields, rawConfig: CreateFleetVersion.properties.rawConfig },
  {
    additionalProperties: false,
    description:
      'A fleet with its configuration. Its files and all else stay as they are; a new fleet serves the configuration at once.',
  },
);
export type ProvisionedFleet = Static<typeof ProvisionedFleet>;

/** What a file says of a project, besides its tokens and fleets. */
export const provisionedProjectFields = {
  id: Type.Optional(
    IDParameter(
      'The id of the project. Absent: the id in the values of its tokens, or that of the only project with this name.',
      { examples: ['0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d'] },
    ),
  ),
  name: CreateProject.properties.name,
  members: Type.Optional(Type.Array(ProvisionedMember, maxItems)),
};

const ProvisionedProject = Type.Object(
  {
    ...provisionedProjectFields,
    tokens: Type.Optional(Type.Array(ProvisionedToken, maxItems)),
    fleets: Type.Optional(Type.Array(ProvisionedFleet, maxItems)),
  },
  {
    additionalProperties: false,
    description: 'A project with members, tokens and fleets. What is not named stays as it is.',
  },
);

export const ApplyProvisioning = Type.Object(
  {
    projects: Type.Array(ProvisionedProject, { ...maxItems, examples: [[{ name: 'edge' }]] }),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'True: nothing is changed, and the answer says what would be.' }),
    ),
  },
  { additionalProperties: false, description: 'Projects, members, tokens and fleets that shall exist.' },
);
export type ApplyProvisioning = Static<typeof ApplyProvisioning>;

const ProvisionedField = Type.Object(
  {
    field: Type.String({ examples: ['reportsPerSecond'] }),
    before: Nullable(Type.String({ description: 'Null: it had none, or it is new.' })),
    after: Nullable(Type.String({ description: 'Null: none.' })),
  },
  { description: 'A field that differs, as texts.' },
);

/** One thing that the application of a file changes, or leaves alone although the file names it. */
export const ProvisioningChange = Type.Object(
  {
    action: OneOf(['create', 'update', 'rotate', 'skip'], {
      description:
        '`rotate`: a token gets another value. `skip`: it differs from the file and is left as it is, for the reason in `reason`.',
    }),
    resource: OneOf(['project', 'member', 'token', 'fleet']),
    path: Type.String({
      description: 'Where the request names it: a JSON pointer (RFC 6901).',
      examples: ['/projects/0/tokens/1'],
    }),
    projectID: Type.String({ format: 'uuid' }),
    project: Type.String({ description: 'The name of the project.', examples: ['edge'] }),
    id: Type.String({ format: 'uuid', description: 'Of the project, the user, the token or the fleet.' }),
    name: Type.String({ examples: ['agents'] }),
    fields: Type.Array(ProvisionedField),
    reason: Nullable(
      Type.String({ description: 'Why it is left alone, or what is left to do. Null: nothing is.' }),
    ),
  },
  { description: 'A change, without any value of a token.' },
);
export type ProvisioningChange = Static<typeof ProvisioningChange>;

/** What an application has changed. */
export const AppliedProvisioning = Type.Object(
  {
    dryRun: Type.Boolean(),
    changes: Type.Array(ProvisioningChange, {
      description: 'In the order of the request. Empty: everything was as it should be.',
    }),
  },
  { description: 'What was changed, or what would be.' },
);
export type AppliedProvisioning = Static<typeof AppliedProvisioning>;
