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

export const listFleetVariables = defineRoute({
  operationID: 'listFleetVariables',
  method: 'GET',
  path: '/v1/fleets/{fleetID}/variables',
  ...common,
  summary: 'List variables of a fleet',
  description:
    'Newest first: those for the whole fleet, for agents with a tag, and for single agents. With `name`, the values of one variable.',
  permission: 'read:fleet',
  query: Type.Object({ ...pageQuery, ...variableQuery }),
  answer: { status: 200, schema: Type.Array(FleetVariable), description: 'A page of values.', paged: true },
  problems: ['not_found'],
});

export const updateFleetVariables = defineRoute({
  operationID: 'updateFleetVariables',
  method: 'PATCH',
  path: '/v1/fleets/{fleetID}/variables',
  ...common,
  summary: 'Set and remove variables of a fleet',
  description:
    'What `{{vars.NAME}}` stands for in its configurations. A value for an agent goes before one for a tag, and that before one for the fleet. Agents whose configuration has another content by this get it at once and without a rollout: those with the tag, the one agent, or all agents of the fleet. So nothing that they use can be changed while a rollout is under way, and in a freeze of the project only with `despiteFreeze`.',
  permission: 'update:fleet',
  body: jsonBody(UpdateFleetVariables, largeBodyLimitBytes),
  answer: { status: 200, schema: UpdatedFleetValues, description: 'Changed.' },
  problems: [
    'not_found',
    'fleet_rollout_open',
    'rollouts_frozen',
    'invalid_fleet_config',
    'too_many_fleet_values',
  ],
});

export const listFleetSecrets = defineRoute({
  operationID: 'listFleetSecrets',
  method: 'GET',
  path: '/v1/fleets/{fleetID}/secrets',
  ...common,
  summary: 'List names of secrets of a fleet',
  description: 'In the order of their names. Values are never shown.',
  permission: 'read:fleet',
  answer: { status: 200, schema: FleetSecrets, description: 'The secrets.' },
  problems: ['not_found'],
});

export const updateFleetSecrets = defineRoute({
  operationID: 'updateFleetSecrets',
  method: 'PATCH',
  path: '/v1/fleets/{fleetID}/secrets',
  ...common,
  summary: 'Set and remove secrets of a fleet',
  description:
    'What `{{secrets.NAME}}` stands for in its configurations. Values are stored encrypted, and only agents get them. They are removed from what agents report, and still are for a while when they are replaced. All agents whose configuration uses a changed secret get it at once and without a rollout. So no secret that they use can be changed while a rollout is under way, and in a freeze of the project only with `despiteFreeze`.',
  permission: 'update:fleet',
  body: jsonBody(UpdateFleetSecrets, largeBodyLimitBytes),
  answer: { status: 200, schema: UpdatedFleetValues, description: 'Changed.' },
  problems: [
    'not_found',
    'fleet_rollout_open',
    'rollouts_frozen',
    'invalid_fleet_config',
    'too_many_fleet_values',
    'secret_key_missing',
  ],
});
