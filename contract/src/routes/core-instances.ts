import { Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import { IDParameter, NameFilter, OneOf, pageQuery } from '../schemas/common.ts';
import {
  CoreInstance,
  CoreInstanceWithToken,
  CreateCoreInstance,
  coreInstanceStatuses,
  RotateCoreInstance,
  UpdateCoreInstance,
} from '../schemas/core-instance.ts';
import {
  CoreInstanceBatch,
  CoreInstanceBatchResult,
  maxBatchBytes,
  SiteCredentials,
} from '../schemas/core-instance-batch.ts';
import { SiteFleetContent, SiteFleets } from '../schemas/site-fleets.ts';

const cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'From the answer before. Absent: from the start.',
  }),
);

const params = Type.Object({ coreInstanceID: IDParameter('The core instance.') });

const tag = 'Core instances';
const byPeople = { tag, credentials: ['access', 'project'] } as const;
const byItself = { tag, credentials: ['core_instance'] } as const;

export const createCoreInstance = defineRoute({
  operationID: 'createCoreInstance',
  method: 'POST',
  path: '/v1/core_instances',
  tag,
  summary: 'Create a core instance',
  description:
    'In the project of the token. Repeatable with the same `instanceKey`: that core instance gets a new token, and its earlier one ends. The core instance goes on if the project token is revoked. This and all other paths with `core_instances` are also at `aggregators`.',
  credentials: ['project'],
  permission: 'create:core_instance',
  body: jsonBody(CreateCoreInstance),
  answer: { status: 201, schema: CoreInstanceWithToken, description: 'The core instance and its token.' },
  problems: ['core_instance_name_taken', 'too_many_core_instances'],
});

export const listCoreInstances = defineRoute({
  operationID: 'listCoreInstances',
  method: 'GET',
  path: '/v1/projects/{projectID}/core_instances',
  ...byPeople,
  summary: 'List core instances of a project',
  description: 'Newest first.',
  permission: 'read:core_instance',
  params: Type.Object({ projectID: IDParameter('The project.') }),
  query: Type.Object({
    ...pageQuery,
    name: NameFilter('core instances'),
    status: Type.Optional(OneOf(coreInstanceStatuses, { description: 'Only core instances in this state.' })),
    tag: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Only core instances with this tag.' }),
    ),
  }),
  answer: {
    status: 200,
    schema: Type.Array(CoreInstance),
    description: 'A page of core instances.',
    paged: true,
  },
  problems: ['not_found'],
});

export const getCoreInstance = defineRoute({
  operationID: 'getCoreInstance',
  method: 'GET',
  path: '/v1/core_instances/{coreInstanceID}',
  ...byPeople,
  summary: 'Get a core instance',
  permission: 'read:core_instance',
  params,
  answer: { status: 200, schema: CoreInstance, description: 'The core instance.' },
  problems: ['not_found', 'core_instance_deleted'],
});

export const updateCoreInstance = defineRoute({
  operationID: 'updateCoreInstance',
  method: 'PATCH',
  path: '/v1/core_instances/{coreInstanceID}',
  ...byPeople,
  summary: 'Change a core instance',
  description: 'Absent and null fields stay as they are.',
  permission: 'update:core_instance',
  params,
  body: jsonBody(UpdateCoreInstance),
  answer: { status: 200, schema: CoreInstance, description: 'The core instance as it is now.' },
  problems: ['not_found', 'core_instance_deleted', 'core_instance_name_taken'],
});

export const deleteCoreInstance = defineRoute({
  operationID: 'deleteCoreInstance',
  method: 'DELETE',
  path: '/v1/core_instances/{coreInstanceID}',
  ...byPeople,
  summary: 'Delete a core instance',
  description:
    'What waits at the site is not accepted any more. The agents behind it stay: they can report to another core instance, or to this service.',
  permission: 'delete:core_instance',
  params,
  answer: { status: 204, description: 'Deleted.' },
  problems: ['not_found', 'core_instance_deleted'],
});

export const rotateCoreInstance = defineRoute({
  operationID: 'rotateCoreInstance',
  method: 'POST',
  path: '/v1/core_instances/{coreInstanceID}/rotate',
  ...byPeople,
  summary: 'Rotate the token of a core instance',
  description:
    'The answer to its next batch tells the core instance to get a new token (`rotateBefore`), and the current one ends when that is used for the first time. A core instance that is not heard within `graceSeconds`, and one whose token was revoked, has to join again with a project token, as the same core instance. With 0, the current token ends at once.',
  permission: 'update:core_instance',
  params,
  body: jsonBody(RotateCoreInstance),
  answer: { status: 200, schema: CoreInstance, description: 'The core instance.' },
  problems: ['not_found', 'core_instance_deleted'],
});

export const rotateOwnCoreInstance = defineRoute({
  operationID: 'rotateOwnCoreInstance',
  method: 'POST',
  path: '/v1/core_instances/self/rotate',
  ...byItself,
  summary: 'Rotate the token of the request',
  description:
    'Gives the core instance a new token. The current one ends when the new one is used for the first time, or after `graceSeconds`, so that a lost answer locks nobody out: repeat the request with the current one, and keep that one until the new one was accepted.',
  body: jsonBody(RotateCoreInstance),
  answer: {
    status: 200,
    schema: CoreInstanceWithToken,
    description: 'The core instance with its new token.',
  },
  problems: ['core_instance_deleted'],
});

export const sendCoreInstanceBatch = defineRoute({
  operationID: 'sendCoreInstanceBatch',
  method: 'POST',
  path: '/v1/core_instances/self/batches',
  ...byItself,
  summary: 'Send what agents sent to the site',
  description:
    'Applied exactly once: a batch whose `sequence` is not above that of the newest one changes nothing. A gap is accepted. An item that is not acceptable is refused alone. Times are corrected by the difference of the clocks, and are at most now and at least seven days ago. The body may be compressed (`Content-Encoding: gzip`). Without items, it is a sign of life. The limits on new errors by time do not apply, because all that agents reported during an outage comes at once. A core instance that sends more than 10,000 items and errors a second gets 503 with `Retry-After`.',
  body: jsonBody(CoreInstanceBatch, maxBatchBytes),
  repeatable: true,
  answer: { status: 200, schema: CoreInstanceBatchResult, description: 'Stored durably.' },
  problems: ['core_instance_deleted', 'core_instance_too_old'],
});

export const listSiteCredentials = defineRoute({
  operationID: 'listSiteCredentials',
  method: 'GET',
  path: '/v1/core_instances/self/credentials',
  ...byItself,
  summary: 'List the credentials of the project',
  description:
    'The digests of all project tokens and agent tokens of the project, and then what has changed: ask again with the `cursor` of each answer, at once while `more` is true, and then every 15 seconds, or when a credential is not known. The digests are as this service stores them: of 256 random bits, nothing can be learned from them.',
  query: Type.Object({ cursor }),
  answer: { status: 200, schema: SiteCredentials, description: 'A page of credentials.' },
  problems: ['core_instance_deleted', 'invalid_cursor'],
});

export const listSiteFleets = defineRoute({
  operationID: 'listSiteFleets',
  method: 'GET',
  path: '/v1/core_instances/self/fleets',
  ...byItself,
  summary: 'List what fleets serve to the agents of the site',
  description:
    'With the `cursor` of the answer before, the answer is empty while nothing has changed. Ask every 15 seconds, and when `fleetGeneration` in the answer to a batch has changed. Which agents get the version of a rollout is decided here alone: a core instance that hears nothing gives it to nobody else.',
  query: Type.Object({ cursor }),
  answer: { status: 200, schema: SiteFleets, description: 'All fleets, or that nothing has changed.' },
  problems: ['core_instance_deleted'],
});

export const getSiteFleetContent = defineRoute({
  operationID: 'getSiteFleetContent',
  method: 'GET',
  path: '/v1/core_instances/self/fleet_contents/{content}',
  ...byItself,
  summary: 'Get what agents of a fleet get',
  description:
    'The configuration in both formats of agents, and the files. The address to which agents report their errors is left open, since it is that of the site.',
  params: Type.Object({
    content: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'The key, from the list of fleets.',
      examples: ['0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d.on'],
    }),
  }),
  query: Type.Object({
    tls: Type.Optional(Type.Boolean({ description: 'True: agents reach the site with TLS.' })),
  }),
  answer: { status: 200, schema: SiteFleetContent, description: 'What agents get.' },
  problems: ['not_found', 'core_instance_deleted'],
});
