import { Type } from 'typebox';
import { FleetConfigFormatName } from '../fleet-config-format.ts';
import { defineRoute, jsonBody, largeBodyLimitBytes } from '../route.ts';
import { IDParameter, NameFilter, pageQuery } from '../schemas/common.ts';
import {
  CreatedFleet,
  CreatedFleetFile,
  CreateFleet,
  CreateFleetFile,
  CreateFleetVersion,
  DeletedFleet,
  Fleet,
  FleetFile,
  FleetsStatus,
  FleetVersion,
  FleetVersionDiff,
  FleetVersionWithConfig,
  MoveAgents,
  MovedAgents,
  SearchResult,
  UpdatedFleet,
  UpdateFleet,
  UpdateFleetFile,
  ValidatedFleetConfig,
  ValidateFleetConfig,
} from '../schemas/fleet.ts';
import { FleetVersionCounts, maxFleetVersionCounts } from '../schemas/fleet-version-count.ts';

const ofProject = Type.Object({ projectID: IDParameter('The project.') });
const ofFleet = Type.Object({ fleetID: IDParameter('The fleet.') });
const ofFile = Type.Object({ fleetFileID: IDParameter('The file.') });
const ofVersion = Type.Object({ fleetVersionID: IDParameter('The version.') });

const common = { tag: 'Fleets', credentials: ['access', 'project'] } as const;
const format = Type.Optional(FleetConfigFormatName);

export const createFleet = defineRoute({
  operationID: 'createFleet',
  method: 'POST',
  path: '/v1/projects/{projectID}/fleets',
  ...common,
  summary: 'Create a fleet',
  description:
    'With `rawConfig`, also its first version. A configuration with errors is refused: the answer lists each with its line and what to do.',
  permission: 'create:fleet',
  params: ofProject,
  body: jsonBody(CreateFleet, largeBodyLimitBytes),
  answer: { status: 201, schema: CreatedFleet, description: 'The new fleet.' },
  problems: ['not_found', 'fleet_name_taken', 'too_many_fleets', 'invalid_fleet_config'],
});

export const listFleets = defineRoute({
  operationID: 'listFleets',
  method: 'GET',
  path: '/v1/projects/{projectID}/fleets',
  ...common,
  summary: 'List fleets of a project',
  description:
    'Newest first. A page can have fewer fleets than `last` if their configurations are large: follow the `Link` header.',
  permission: 'read:fleet',
  params: ofProject,
  query: Type.Object({
    ...pageQuery,
    name: NameFilter('fleets'),
    tags_query: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_024,
        description: 'Only fleets with all of these tags: with commas or ` AND ` between them.',
      }),
    ),
    config_format: format,
  }),
  answer: { status: 200, schema: Type.Array(Fleet), description: 'A page of fleets.', paged: true },
  problems: ['not_found'],
});

export const getFleetsStatus = defineRoute({
  operationID: 'getFleetsStatus',
  method: 'GET',
  path: '/v1/projects/{projectID}/fleets/status',
  ...common,
  summary: 'Count the agents of all fleets of a project',
  permission: 'read:fleet',
  params: ofProject,
  answer: { status: 200, schema: FleetsStatus, description: 'The counts.' },
  problems: ['not_found'],
});

export const getFleetVersionCounts = defineRoute({
  operationID: 'getFleetVersionCounts',
  method: 'GET',
  path: '/v1/projects/{projectID}/fleets/version_counts',
  ...common,
  summary: 'Count the agents of fleets by the version that they run',
  description: `Who runs what, in all fleets of a project or in one: at most ${maxFleetVersionCounts} lines, each with at least one agent.`,
  permission: 'read:fleet',
  params: ofProject,
  query: Type.Object({ fleet_id: Type.Optional(IDParameter('Only this fleet.')) }),
  answer: { status: 200, schema: FleetVersionCounts, description: 'The counts.' },
  problems: ['not_found'],
});

export const getFleet = defineRoute({
  operationID: 'getFleet',
  method: 'GET',
  path: '/v1/fleets/{fleetID}',
  ...common,
  summary: 'Get a fleet',
  permission: 'read:fleet',
  params: ofFleet,
  query: Type.Object({ config_format: format }),
  answer: { status: 200, schema: Fleet, description: 'The fleet.' },
  problems: ['not_found'],
});

export const updateFleet = defineRoute({
  operationID: 'updateFleet',
  method: 'PATCH',
  path: '/v1/fleets/{fleetID}',
  ...common,
  summary: 'Change a fleet',
  description:
    'Absent and null fields stay as they are. With another `rawConfig`, a version is created, and all agents of the fleet get it. With the same one, nothing changes for them. With `versionID`, all of them get a version that exists already. One that is marked bad takes `despiteBad`.',
  permission: 'update:fleet',
  params: ofFleet,
  body: jsonBody(UpdateFleet, largeBodyLimitBytes),
  answer: { status: 200, schema: UpdatedFleet, description: 'Changed.' },
  problems: ['not_found', 'fleet_name_taken', 'invalid_fleet_config', 'fleet_version_bad'],
});

export const deleteFleet = defineRoute({
  operationID: 'deleteFleet',
  method: 'DELETE',
  path: '/v1/fleets/{fleetID}',
  ...common,
  summary: 'Delete a fleet',
  description: 'Its agents stay, and go on with the configuration that they have.',
  permission: 'delete:fleet',
  params: ofFleet,
  answer: { status: 200, schema: DeletedFleet, description: 'Deleted.' },
  problems: ['not_found'],
});

export const moveAgents = defineRoute({
  operationID: 'moveAgents',
  method: 'POST',
  path: '/v1/fleets/{fleetID}/agents',
  ...common,
  summary: 'Move agents to a fleet',
  description:
    'From their next request on, they get what this fleet serves, though their own files still name the fleet that they were in. Only agents that are configured with `fleet_name` can be moved: all agents with `fleet_id` ask with the same id. Either all of them are moved, or none.',
  permission: 'update:fleet',
  furtherPermission: 'update:agent',
  params: ofFleet,
  body: jsonBody(MoveAgents),
  answer: { status: 200, schema: MovedAgents, description: 'Moved.' },
  problems: ['not_found', 'agent_not_movable'],
});

export const getFleetStatus = defineRoute({
  operationID: 'getFleetStatus',
  method: 'GET',
  path: '/v1/fleets/{fleetID}/status',
  ...common,
  summary: 'Count the agents of a fleet',
  permission: 'read:fleet',
  params: ofFleet,
  answer: { status: 200, schema: FleetsStatus, description: 'The counts.' },
  problems: ['not_found'],
});

export const getFleetConfig = defineRoute({
  operationID: 'getFleetConfig',
  method: 'GET',
  path: '/v1/fleets/{fleetID}/config',
  ...common,
  summary: 'Get the configuration that agents of a fleet get',
  description:
    'What agents ask for again and again. `Last-Modified` grows by at least a second with every change, and is the same as long as the content is. An agent may send the id that a search has given it, and gets its own values of variables; others see the variables as they are written.',
  permission: 'read:fleet',
  params: ofFleet,
  query: Type.Object({ config_format: format, format }),
  answer: {
    status: 200,
    schema: Type.String(),
    mediaType: 'text/plain',
    description: 'The configuration: as `application/yaml` or `application/json` in these formats.',
    headers: { 'Last-Modified': 'The version, as a date in GMT.' },
  },
  problems: ['not_found', 'fleet_config_incomplete'],
});

export const listFleetFiles = defineRoute({
  operationID: 'listFleetFiles',
  method: 'GET',
  path: '/v1/fleets/{fleetID}/files',
  ...common,
  summary: 'List files of a fleet',
  description: 'Without `last`, all of them: agents read no further page.',
  permission: 'read:fleet',
  params: ofFleet,
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: Type.Array(FleetFile), description: 'The files.', paged: true },
  problems: ['not_found'],
});

export const createFleetFile = defineRoute({
  operationID: 'createFleetFile',
  method: 'POST',
  path: '/v1/fleets/{fleetID}/files',
  ...common,
  summary: 'Add a file to a fleet',
  description: 'Creates a version with the file, which all agents of the fleet get.',
  permission: 'update:fleet',
  params: ofFleet,
  body: jsonBody(CreateFleetFile, largeBodyLimitBytes),
  answer: { status: 200, schema: CreatedFleetFile, description: 'The new file.' },
  problems: [
    'not_found',
    'fleet_file_name_taken',
    'fleet_files_quota_exceeded',
    'fleet_file_too_large',
    'invalid_fleet_config',
    'fleet_version_bad',
  ],
});

export const getFleetFile = defineRoute({
  operationID: 'getFleetFile',
  method: 'GET',
  path: '/v1/fleet_files/{fleetFileID}',
  ...common,
  summary: 'Get a file of a fleet',
  permission: 'read:fleet',
  params: ofFile,
  answer: { status: 200, schema: FleetFile, description: 'The file.' },
  problems: ['not_found'],
});

export const updateFleetFile = defineRoute({
  operationID: 'updateFleetFile',
  method: 'PATCH',
  path: '/v1/fleet_files/{fleetFileID}',
  ...common,
  summary: 'Change a file of a fleet',
  description: 'Creates a version with the changed file, which all agents of the fleet get.',
  permission: 'update:fleet',
  params: ofFile,
  body: jsonBody(UpdateFleetFile, largeBodyLimitBytes),
  answer: { status: 204, description: 'Changed.' },
  problems: [
    'not_found',
    'fleet_file_name_taken',
    'fleet_files_quota_exceeded',
    'fleet_file_too_large',
    'invalid_fleet_config',
    'fleet_version_bad',
  ],
});

export const deleteFleetFile = defineRoute({
  operationID: 'deleteFleetFile',
  method: 'DELETE',
  path: '/v1/fleet_files/{fleetFileID}',
  ...common,
  summary: 'Remove a file from a fleet',
  description: 'Creates a version without the file, which all agents of the fleet get.',
  permission: 'update:fleet',
  params: ofFile,
  answer: { status: 204, description: 'Removed.' },
  problems: ['not_found', 'invalid_fleet_config', 'fleet_version_bad'],
});

export const listFleetVersions = defineRoute({
  operationID: 'listFleetVersions',
  method: 'GET',
  path: '/v1/fleets/{fleetID}/versions',
  ...common,
  summary: 'List versions of a fleet',
  description: 'Newest first.',
  permission: 'read:fleet',
  params: ofFleet,
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: Type.Array(FleetVersion), description: 'A page of versions.', paged: true },
  problems: ['not_found'],
});

export const createFleetVersion = defineRoute({
  operationID: 'createFleetVersion',
  method: 'POST',
  path: '/v1/fleets/{fleetID}/versions',
  ...common,
  summary: 'Create a version of a fleet',
  description:
    'Checks and stores a configuration; no agent gets it by this. If it is equal to the newest version, that one is the answer.',
  permission: 'update:fleet',
  params: ofFleet,
  body: jsonBody(CreateFleetVersion, largeBodyLimitBytes),
  repeatable: true,
  answer: { status: 201, schema: FleetVersion, description: 'The version.' },
  problems: ['not_found', 'fleet_files_quota_exceeded', 'fleet_file_too_large', 'invalid_fleet_config'],
});

export const getFleetVersion = defineRoute({
  operationID: 'getFleetVersion',
  method: 'GET',
  path: '/v1/fleet_versions/{fleetVersionID}',
  ...common,
  summary: 'Get a version of a fleet',
  permission: 'read:fleet',
  params: ofVersion,
  answer: { status: 200, schema: FleetVersionWithConfig, description: 'The version with its configuration.' },
  problems: ['not_found'],
});

export const getFleetVersionDiff = defineRoute({
  operationID: 'getFleetVersionDiff',
  method: 'GET',
  path: '/v1/fleet_versions/{fleetVersionID}/diff',
  ...common,
  summary: 'Compare a version of a fleet with another one',
  description: 'Without an earlier version, all lines are added.',
  permission: 'read:fleet',
  params: ofVersion,
  query: Type.Object({
    against: Type.Optional(
      IDParameter('The version to compare with, of any fleet of the project. Absent: the one before.'),
    ),
  }),
  answer: { status: 200, schema: FleetVersionDiff, description: 'The difference.' },
  problems: ['not_found'],
});

export const validateFleetConfig = defineRoute({
  operationID: 'validateFleetConfig',
  method: 'POST',
  path: '/v1/fleets/{fleetID}/validate',
  ...common,
  summary: 'Check a configuration for a fleet',
  description: 'Stores nothing.',
  permission: 'read:fleet',
  params: ofFleet,
  body: jsonBody(ValidateFleetConfig, largeBodyLimitBytes),
  repeatable: true,
  answer: { status: 200, schema: ValidatedFleetConfig, description: 'What is wrong with it.' },
  problems: ['not_found', 'fleet_files_quota_exceeded', 'fleet_file_too_large'],
});

export const search = defineRoute({
  operationID: 'search',
  method: 'GET',
  path: '/v1/search',
  ...common,
  summary: 'Find a fleet by its name',
  description:
    'By name, in ascending order; at most 1,000. With `exact=true` the name must be equal, otherwise begin with the term; a term that is an id finds the fleet with it. An agent that is configured with `fleet_name` searches to learn the id of its fleet. It sends `Fleet-Config-Version` and gets an id of its own each time, so that each agent is known by the id with which it asks for its configuration.',
  permission: 'read:fleet',
  query: Type.Object({
    project_id: Type.Optional(
      IDParameter('The project. With a project token, it can be left out: it is that of the token.'),
    ),
    resource: Type.Optional(
      Type.String({ maxLength: 64, description: 'Only `fleet` exists, and it can be left out.' }),
    ),
    term: Type.Optional(Type.String({ maxLength: 256, description: 'Absent or empty: all.' })),
    exact: Type.Optional(Type.Boolean({ description: 'True: only a fleet with exactly this name.' })),
  }),
  answer: { status: 200, schema: Type.Array(SearchResult), description: 'What was found.' },
  problems: ['not_found', 'unknown_search_resource'],
});
