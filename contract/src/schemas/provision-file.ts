import { type Static, Type } from 'typebox';
import { Text } from './common.ts';
import { CreateFleetVersion } from './fleet.ts';
import {
  maxProvisionedItems,
  provisionedFleetFields,
  provisionedProjectFields,
  provisionedTokenFields,
} from './provisioning.ts';

const maxItems = { maxItems: maxProvisionedItems };

const FileToken = Type.Object(
  {
    ...provisionedTokenFields,
    valueFile: Type.Optional(
      Text(1, 4_096, {
        description:
          'A file that contains the value of the token, as `muster token generate` makes it. Relative paths begin at the folder of this file.',
        examples: ['agents-token'],
      }),
    ),
    valueVariable: Type.Optional(
      Text(1, 256, {
        description: 'Instead of valueFile: an environment variable that contains the value.',
        examples: ['EDGE_AGENTS_TOKEN'],
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'A project token. Absent fields stay as they are; a new token gets the permissions that an agent needs, and no limits.',
  },
);

const FileFleet = Type.Object(
  {
    ...provisionedFleetFields,
    rawConfig: Type.Optional(CreateFleetVersion.properties.rawConfig),
    configFile: Type.Optional(
      Text(1, 4_096, {
        description:
          'Instead of rawConfig: a file that contains the configuration. Relative paths begin at the folder of this file. Its name tells the format, unless configFormat does.',
        examples: ['fluent-bit.yaml'],
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'A fleet with its configuration. What is not named stays as it is.',
  },
);

const FileProject = Type.Object(
  {
    ...provisionedProjectFields,
    tokens: Type.Optional(Type.Array(FileToken, maxItems)),
    fleets: Type.Optional(Type.Array(FileFleet, maxItems)),
  },
  {
    additionalProperties: false,
    description: 'A project with members, tokens and fleets. What is not named stays as it is.',
  },
);

/** The content of MUSTER_PROVISION_FILE, and of the file that `muster apply` reads. */
export const ProvisionFile = Type.Object(
  { projects: Type.Array(FileProject, maxItems) },
  {
    additionalProperties: false,
    description: 'Projects, members, tokens and fleets that shall exist in an installation of Muster.',
  },
);
export type ProvisionFile = Static<typeof ProvisionFile>;
