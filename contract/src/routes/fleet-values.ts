import { Type } from 'typebox';
import { defineRoute, jsonBody, largeBodyLimitBytes } from '../route.ts';
import { IDParameter, pageQuery } from '../schemas/common.ts';
import {
  FleetSecrets,
  FleetVariable,
  UpdatedFleetValues,
  UpdateFleetSecrets,
  UpdateFleetVariables,
  variableQuery,
} from '../schemas/fleet-value.ts';

const params = Type.Object({ fleetID: IDParameter('The fleet.') });
const common = { tag: 'Fleets', credentials: ['access', 'project'], params } as const;
const listing = { ...common, method: 'GET', permission: 'read:fleet', problems: ['not_found'] } as const;
const update = {
  ...common,
  method: 'PATCH',
  permission: 'update:fleet',
  answer: { status: 200, schema: UpdatedFleetValues, description: 'Changed.' },
} as const;
const updateProblems = [
  'not_found',
  'fleet_rollout_open',
  'rollouts_frozen',
  'invalid_fleet_config',
  'too_many_fleet_values',
] as const;

export const listFleetVariables = defineRoute({
  ...listing,
  operationID: 'listFleetVariables',
  path: '/v1/fleets/{fleetID}/variables',
  summary: 'List variables of a fleet',
  description:
    'Newest first: those for the whole fleet, for agents with a tag, and for single agents. With `name`, the values of one variable.',
  query: Type.Object({ ...pageQuery, ...variableQuery }),
  answer: { status: 200, schema: Type.Array(FleetVariable), description: 'A page of values.', paged: true },
});

export const updateFleetVariables = defineRoute({
  ...update,
  operationID: 'updateFleetVariables',
  path: '/v1/fleets/{fleetID}/variables',
  summary: 'Set and remove variables of a fleet',
  description:
    'What `{{vars.NAME}}` stands for in its configurations. A value for an agent goes before one for a tag, and that before one for the fleet. Agents whose configuration has another content by this get it at once and without a rollout: those with the tag, the one agent, or all agents of the fleet. So nothing that they use can be changed while a rollout is under way, and in a freeze of the project only with `despiteFreeze`.',
  body: jsonBody(UpdateFleetVariables, largeBodyLimitBytes),
  problems: updateProblems,
});

export const listFleetSecrets = defineRoute({
  ...listing,
  operationID: 'listFleetSecrets',
  path: '/v1/fleets/{fleetID}/secrets',
  summary: 'List names of secrets of a fleet',
  description: 'In the order of their names. Values are never shown.',
  answer: { status: 200, schema: FleetSecrets, description: 'The secrets.' },
});

export const updateFleetSecrets = defineRoute({
  ...update,
  operationID: 'updateFleetSecrets',
  path: '/v1/fleets/{fleetID}/secrets',
  summary: 'Set and remove secrets of a fleet',
  description:
    'What `{{secrets.NAME}}` stands for in its configurations. Values are stored encrypted, and only agents get them. They are removed from what agents report, and still are for a while when they are replaced. All agents whose configuration uses a changed secret get it at once and without a rollout. So no secret that they use can be changed while a rollout is under way, and in a freeze of the project only with `despiteFreeze`.',
  body: jsonBody(UpdateFleetSecrets, largeBodyLimitBytes),
  problems: [...updateProblems, 'secret_key_missing'],
});
