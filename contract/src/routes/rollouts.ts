import { type TSchema, Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import { IDParameter, pageQuery } from '../schemas/common.ts';
import { FreezeWindows, UpdateFreezeWindows } from '../schemas/freeze-window.ts';
import {
  BeginStage,
  Rollout,
  RolloutAgent,
  RolloutReason,
  StartedRollout,
  StartRollout,
} from '../schemas/rollout.ts';

const ofFleet = Type.Object({ fleetID: IDParameter('The fleet.') });
const ofProject = Type.Object({ projectID: IDParameter('The project.') });
const ofRollout = Type.Object({ rolloutID: IDParameter('The rollout.') });

const common = { tag: 'Fleets', credentials: ['access', 'project'] } as const;
const answer = { status: 200, schema: Rollout, description: 'The rollout as it is now.' } as const;

export const startRollout = defineRoute({
  operationID: 'startRollout',
  method: 'POST',
  path: '/v1/fleets/{fleetID}/rollouts',
  ...common,
  summary: 'Give a version to the agents of a fleet, stage by stage',
  description:
    'A rollout goes on by itself while the agents that have the version are no worse than the others. It stops by itself when they are, and then gives them the version before again. It supersedes a rollout of the fleet that has not ended.',
  permission: 'update:fleet',
  params: ofFleet,
  body: jsonBody(StartRollout),
  answer: { status: 200, schema: StartedRollout, description: 'Started, or planned.' },
  problems: ['not_found', 'rollout_impossible', 'fleet_version_bad', 'rollouts_frozen'],
});

export const getFreezeWindows = defineRoute({
  operationID: 'getFreezeWindows',
  method: 'GET',
  path: '/v1/projects/{projectID}/freeze_windows',
  ...common,
  summary: 'List when no rollout of a project starts',
  description: 'Says also whether that is now.',
  permission: 'read:fleet',
  params: ofProject,
  answer: { status: 200, schema: FreezeWindows, description: 'The windows.' },
  problems: ['not_found'],
});

export const updateFreezeWindows = defineRoute({
  operationID: 'updateFreezeWindows',
  method: 'PATCH',
  path: '/v1/projects/{projectID}/freeze_windows',
  tag: 'Fleets',
  credentials: ['access'],
  summary: 'Set when no rollout of a project starts',
  description:
    'Replaces all windows. During a freeze no rollout starts and no stage begins. Agents that have a version are still watched, and a rollout still stops and goes back.',
  permission: 'update:project',
  params: ofProject,
  body: jsonBody(UpdateFreezeWindows),
  answer: { status: 200, schema: FreezeWindows, description: 'The windows as they are now.' },
  problems: ['not_found'],
});

export const listRollouts = defineRoute({
  operationID: 'listRollouts',
  method: 'GET',
  path: '/v1/projects/{projectID}/rollouts',
  ...common,
  summary: 'List rollouts of a project',
  description: 'Newest first.',
  permission: 'read:fleet',
  params: ofProject,
  query: Type.Object({
    ...pageQuery,
    fleet_id: Type.Optional(IDParameter('Only of this fleet.')),
    group_id: Type.Optional(
      IDParameter('Only those that this group of errors has stopped, also of fleets that were deleted.'),
    ),
    incomplete: Type.Optional(
      Type.Boolean({
        description:
          'true: only the newest rollout of each fleet, and only if it has neither completed nor been superseded: those that go on, and those that were stopped. false or absent: all.',
      }),
    ),
  }),
  answer: { status: 200, schema: Type.Array(Rollout), description: 'A page of rollouts.', paged: true },
  problems: ['not_found'],
});

export const getRollout = defineRoute({
  operationID: 'getRollout',
  method: 'GET',
  path: '/v1/rollouts/{rolloutID}',
  ...common,
  summary: 'Get a rollout',
  permission: 'read:fleet',
  params: ofRollout,
  answer,
  problems: ['not_found'],
});

export const listRolloutAgents = defineRoute({
  operationID: 'listRolloutAgents',
  method: 'GET',
  path: '/v1/rollouts/{rolloutID}/agents',
  ...common,
  summary: 'List how far the agents of a rollout are',
  description: 'In the order of their ids, the newest first.',
  permission: 'read:fleet',
  params: ofRollout,
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: Type.Array(RolloutAgent), description: 'A page of agents.', paged: true },
  problems: ['not_found'],
});

function action<Body extends TSchema>(
  operationID: string,
  name: string,
  summary: string,
  description: string,
  body: Body,
) {
  return defineRoute({
    operationID,
    method: 'POST',
    path: `/v1/rollouts/{rolloutID}/${name}`,
    ...common,
    summary,
    description,
    permission: 'update:fleet',
    params: ofRollout,
    body: jsonBody(body),
    answer,
    problems: ['not_found', 'rollout_ended', 'rollouts_frozen'],
  });
}

export const pauseRollout = action(
  'pauseRollout',
  'pause',
  'Pause a rollout',
  'Nobody further gets the version. Agents that have it keep it.',
  RolloutReason,
);
export const resumeRollout = action(
  'resumeRollout',
  'resume',
  'Resume a rollout that is paused',
  'Its stage begins anew.',
  BeginStage,
);
export const approveRollout = action(
  'approveRollout',
  'approve',
  'Approve the next stage of a rollout that waits for it',
  'The next stage begins. Whoever approves it is kept in the rollout and in the audit log.',
  BeginStage,
);
export const stopRollout = action(
  'stopRollout',
  'stop',
  'Stop a rollout',
  'It ends. Agents that have the version keep it: revert it to give them the version before.',
  RolloutReason,
);
export const revertRollout = action(
  'revertRollout',
  'revert',
  'Give the version before to the agents of a rollout again',
  'Also if it was stopped, unless a newer rollout has begun since. Agents that never got the version are left alone.',
  RolloutReason,
);
export const promoteRollout = action(
  'promoteRollout',
  'promote',
  'Begin the next stage of a rollout now',
  'Whatever its agents have shown. After the last stage, the version is the one of the fleet.',
  BeginStage,
);
