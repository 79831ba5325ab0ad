import { defineRoute, jsonBody, largeBodyLimitBytes } from '../route.ts';
import { AppliedProvisioning, ApplyProvisioning } from '../schemas/provisioning.ts';

export const applyProvisioning = defineRoute({
  operationID: 'applyProvisioning',
  method: 'POST',
  path: '/v1/provisioning',
  tag: 'Projects',
  summary: 'Make projects, members, tokens and fleets as a file says',
  description:
    'All or nothing. What the request does not name stays as it is, and repeating it changes nothing. Needs `create:project` on the installation to create a project, and for each other change the permission of the route for it, and to read members, tokens and fleets that exist already. Nobody gives more than they have. What a person has removed or revoked since is not brought back: it is answered as `skip`. Another configuration of a fleet becomes a version, which agents get by a rollout, or at once with `allAtOnce`.',
  credentials: ['access'],
  repeatable: true,
  body: jsonBody(ApplyProvisioning, largeBodyLimitBytes),
  answer: { status: 200, schema: AppliedProvisioning, description: 'What was changed, or would be.' },
  problems: [
    'not_found',
    'permission_denied',
    'permissions_exceed_own',
    'expiry_exceeds_own',
    'invalid_permission',
    'last_owner',
    'too_many_valid_values',
    'invalid_fleet_config',
    'too_many_fleets',
  ],
});
