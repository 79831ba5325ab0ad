import { problemsOfService } from './problems-of-service.ts';
import { maxCoreInstancesPerProject } from './schemas/core-instance.ts';
import {
  maxFleetFileBytes,
  maxFleetFiles,
  maxFleetFilesBytes,
  maxFleetsPerProject,
} from './schemas/fleet.ts';
import { maxFleetSecrets, maxFleetVariables } from './schemas/fleet-value.ts';
import { maxSignInLinks } from './schemas/session.ts';
import { newCredentialsPerMinute } from './schemas/user.ts';

/**
 * Every refusal that the service can answer, listed once.
 *
 * Bodies are RFC 9457 `application/problem+json`. Each key is a stable `code`; `title` is its short sentence;
 * `help` tells a person what to do and appears on the reference page.
 */
interface ProblemDefinition {
  readonly status: number;
  readonly title: string;
  readonly help: string;
}

const catalog = {
  bad_request: {
    status: 400,
    title: 'Bad request',
    help: 'The request is not valid HTTP/1.1. Check the client and any proxy between it and the service.',
  },
  invalid_json: {
    status: 400,
    title: 'Invalid JSON',
    help: 'Send a body that is valid JSON in UTF-8 (RFC 8259).',
  },
  invalid_path_parameter: {
    status: 400,
    title: 'Invalid path parameter',
    help: 'Copy the id exactly as the service returned it: a UUID in text form.',
  },
  invalid_query_parameter: {
    status: 400,
    title: 'Invalid query parameter',
    help: 'Correct the named parameter; the reference lists the values that each parameter accepts.',
  },
  unknown_query_parameter: {
    status: 400,
    title: 'Unknown query parameter',
    help: 'Correct the spelling or leave the parameter out. A mistyped filter is refused because ignoring it would return too much.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Invalid cursor',
    help: 'Use the URL of the Link header with rel="next" unchanged; a cursor is valid only for the list that returned it.',
  },
  invalid_last_event_id: {
    status: 400,
    title: 'Invalid last event id',
    help: 'Send the id of the last event exactly as it was received: a whole number. Without the header, the stream begins now.',
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'Invalid idempotency key',
    help: 'Send a random text of 16 to 128 visible ASCII characters as Idempotency-Key, such as a UUID, or leave the header out.',
  },
  credential_in_query: {
    status: 400,
    title: 'Credential in the query string',
    help: 'Send the token in a header, and revoke the token that was sent: URLs end up in logs and histories.',
  },
  missing_credential: {
    status: 401,
    title: 'Missing credential',
    help: 'Send one of the credentials that the answer names.',
  },
  invalid_credential: {
    status: 401,
    title: 'Invalid credential',
    help: 'The token is mistyped, cut off or unknown to this installation. Copy it again or create another one.',
  },
  masked_credential: {
    status: 401,
    title: 'Masked credential',
    help: 'Lists show tokens masked. Send the whole value, which only the answer that created the token shows. If it is lost, create another token.',
  },
  expired_credential: {
    status: 401,
    title: 'Expired credential',
    help: 'Create a new token, or ask an operator to set a later expiresAt for this one.',
  },
  revoked_credential: {
    status: 401,
    title: 'Revoked credential',
    help: 'This token was revoked permanently. Create a new one.',
  },
  rotated_credential: {
    status: 401,
    title: 'Rotated credential',
    help: 'This token was rotated, and this earlier value has ended. Use the new value of the token.',
  },
  credential_kind_not_accepted: {
    status: 403,
    title: 'Credential kind not accepted',
    help: 'Send a credential of a kind that the answer names; this route accepts no other.',
  },
  network_not_allowed: {
    status: 403,
    title: 'Network not allowed',
    help: 'This token may be used only from certain networks. Ask an operator to allow the address of the request, or use another token.',
  },
  cross_origin_request: {
    status: 403,
    title: 'Request from another site',
    help: 'A browser that is signed in may change something only from the pages of this service. Check MUSTER_PUBLIC_URL if a proxy is in front of it. In a program, send an access token instead of the cookie.',
  },
  permission_denied: {
    status: 403,
    title: 'Permission denied',
    help: 'Use a token with the permission that the answer names, or add that permission to this token. A user asks an owner of the project for a role that has it.',
  },
  permissions_exceed_own: {
    status: 403,
    title: 'Permissions exceed your own',
    help: 'Nobody can grant more than they have. Leave out the named permissions, or use a credential that has them.',
  },
  sign_up_unavailable: {
    status: 403,
    title: 'Sign up unavailable',
    help: 'People sign in to this installation through an identity provider. Sign in there, and accept the invitation with that account.',
  },
  expiry_exceeds_own: {
    status: 403,
    title: 'Expiry exceeds your own',
    help: 'A token cannot expire later than the token that created it. Choose an earlier expiresAt or use an access token.',
  },
  too_many_fleet_values: {
    status: 403,
    title: 'Too many variables or secrets of one fleet',
    help: `A fleet has at most ${maxFleetVariables} values of variables and ${maxFleetSecrets} secrets. Remove those that are no longer used.`,
  },
  fleet_files_quota_exceeded: {
    status: 403,
    title: 'Fleet files quota exceeded',
    help: `A fleet has at most ${maxFleetFiles} files, with ${maxFleetFilesBytes} bytes together. Remove or shorten some.`,
  },
  not_found: {
    status: 404,
    title: 'Not found',
    help: 'Check the id, and check that the credential belongs to the same project.',
  },
  route_not_found: {
    status: 404,
    title: 'Route not found',
    help: 'Check the method and the path against the reference at /docs.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    help: 'The whole request did not arrive in time. Send it again on a new connection.',
  },
  agent_error_already_dismissed: {
    status: 409,
    title: 'Agent error already dismissed',
    help: 'Nothing to do: the error stays dismissed with its first reason.',
  },
  agent_error_not_dismissed: {
    status: 409,
    title: 'Agent error not dismissed',
    help: 'Nothing to do: it is open.',
  },
  equal_agent_error_open: {
    status: 409,
    title: 'Equal agent error open',
    help: 'This agent already has an open error with the same text and configuration; the answer names it. Use that error.',
  },
  token_revoked: {
    status: 409,
    title: 'Token revoked',
    help: 'A revoked token cannot be changed. Create a new one.',
  },
  token_expired: {
    status: 409,
    title: 'Token expired',
    help: 'An expired token cannot be rotated, because a new value would be expired too. Set a later expiresAt first, or create a new token.',
  },
  token_of_settings: {
    status: 409,
    title: 'Token of the settings',
    help: 'The installation defines this token. Change MUSTER_ADMIN_TOKEN and start the service again, or create another access token.',
  },
  too_many_valid_values: {
    status: 409,
    title: 'Too many valid values',
    help: 'This token has too many earlier values that are still accepted. Wait until they end, or rotate it without graceSeconds and retireOnUse, which ends all of them.',
  },
  too_many_access_tokens: {
    status: 409,
    title: 'Too many access tokens',
    help: 'The user has the maximum number of valid access tokens. Revoke those that nobody uses, or wait until some expire.',
  },
  too_many_invitations: {
    status: 409,
    title: 'Too many invitations',
    help: 'The project has as many open invitations as it can have. Revoke those that nobody needs, or wait until they end.',
  },
  invitation_accepted: {
    status: 409,
    title: 'Invitation accepted',
    help: 'Nothing was changed: somebody has accepted the invitation and is a member now. Remove the member instead.',
  },
  idempotency_key_used: {
    status: 409,
    title: 'Idempotency key used',
    help: 'Nothing was changed. The answer to this key cannot be given again; the answer says why. Send another key to do it again.',
  },
  already_member: {
    status: 409,
    title: 'Already a member',
    help: 'This user is a member of the project already. Change their role instead.',
  },
  last_owner: {
    status: 409,
    title: 'Last owner',
    help: 'A project keeps its last owner. Make another member an owner first, or ask an administrator of the installation.',
  },
  core_instance_name_taken: {
    status: 409,
    title: 'Core instance name taken',
    help: 'Choose another name, or delete the core instance that has it. If it is the same one and its state folder was lost, delete it first.',
  },
  fleet_name_taken: {
    status: 409,
    title: 'Fleet name taken',
    help: 'Choose another name, or change or delete the fleet that has it.',
  },
  fleet_config_incomplete: {
    status: 409,
    title: 'Configuration incomplete',
    help: 'Set the variable that the answer names for the fleet, or correct the name of the agent. Until then, the agent goes on with what it has.',
  },
  fleet_rollout_open: {
    status: 409,
    title: 'Rollout under way',
    help: 'Wait until the rollout of the fleet has ended, or end it: promote, stop or revert it. Then send the change again.',
  },
  agent_not_movable: {
    status: 409,
    title: 'Agent not movable',
    help: 'Change the configuration of the agent: with fleet_name instead of fleet_id, it asks with an id of its own. Agents that get no configuration from a fleet cannot be moved.',
  },
  rollout_impossible: {
    status: 409,
    title: 'Rollout impossible',
    help: 'A rollout takes agents from the version that their fleet serves to another one. Look in the answer for what is missing, and start the rollout again when it is there.',
  },
  rollout_ended: {
    status: 409,
    title: 'Rollout in another state',
    help: 'Look in the answer for the state of the rollout, and for those in which this is possible.',
  },
  rollouts_frozen: {
    status: 409,
    title: 'Rollouts frozen',
    help: 'The project has a freeze window, and the answer says until when. Start the rollout, begin its next stage, or change the variable or secret, then. In an emergency, send despiteFreeze.',
  },
  fleet_version_bad: {
    status: 409,
    title: 'Version marked bad',
    help: 'A rollout of this version has stopped by itself. Correct it in a new version, or send despiteBad.',
  },
  fleet_file_name_taken: {
    status: 409,
    title: 'Fleet file name already exists',
    help: 'Choose another name, or change the file that has it.',
  },
  machine_registered: {
    status: 409,
    title: 'Machine registered already',
    help: "Send the agent's own token as X-Agent-Token in addition to the project token, or ask an operator to release the machine.",
  },
  secret_key_missing: {
    status: 409,
    title: 'Secret key missing',
    help: 'With PostgreSQL, secrets of fleets, and addresses and keys of alert channels, are stored encrypted with MUSTER_SECRET_KEY, which is not set. Set it to the same value on every replica.',
  },
  project_move_refused: {
    status: 409,
    title: 'Project move refused',
    help: 'Nothing was changed. Follow the detail, which says what is in the way.',
  },
  project_page_refused: {
    status: 409,
    title: 'Rows refused',
    help: 'They are not rows of the project that arrives, or do not fit here, and none was stored. Look at the detail, which says why.',
  },
  mail_not_set_up: {
    status: 409,
    title: 'Mail not set up',
    help: 'The installation cannot send mail. Set MUSTER_SMTP_URL and MUSTER_SMTP_FROM.',
  },
  too_many_alert_channels: {
    status: 409,
    title: 'Too many alert channels',
    help: 'The project has as many alert channels as it can have. Delete one first.',
  },
  too_many_alert_rules: {
    status: 409,
    title: 'Too many alert rules',
    help: 'The project has as many alert rules as it can have. Delete one first.',
  },
  alert_rule_exists: {
    status: 409,
    title: 'Alert rule exists',
    help: 'Two rules alike would send each message twice. Change the rule that the answer names, or give this one another condition or other channels.',
  },
  more_agents_match: {
    status: 409,
    title: 'More agents match',
    help: 'Nothing was deleted. Look at how many match now, and confirm that number.',
  },
  alert_channel_has_no_secret: {
    status: 409,
    title: 'Alert channel has no secret',
    help: 'Only messages of webhooks are signed. Of other kinds, change the address or the key instead.',
  },
  invitation_ended: {
    status: 410,
    title: 'Invitation ended',
    help: 'It was accepted or revoked, it has expired, or its sender may no longer give the role. Ask for another one.',
  },
  core_instance_deleted: {
    status: 410,
    title: 'Core instance deleted',
    help: 'Nothing is accepted from it any more. What waits at the site is kept there: create another core instance, or remove its state folder.',
  },
  project_moved: {
    status: 410,
    title: 'Project moved',
    help: 'The project is at another installation, where its tokens and agents are valid. The detail names its address: sign in there.',
  },
  agent_deleted: {
    status: 410,
    title: 'Agent deleted',
    help: 'Delete the session that the agent stored and let it register again.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    help: 'Send less in one request; the answer names the limit in bytes.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    help: 'Send the body with the media type that the answer names.',
  },
  invalid_body: {
    status: 422,
    title: 'Invalid body',
    help: 'Correct the fields that the answer lists. Sending the same again will fail again.',
  },
  invalid_fleet_config: {
    status: 422,
    title: 'Invalid fluentbit config',
    help: 'Correct what the answer lists, each with its line. skipConfigValidation accepts plugins and properties that are not known here.',
  },
  fleet_file_too_large: {
    status: 422,
    title: 'Fleet file size exceeded',
    help: `Send a shorter file: one has at most ${maxFleetFileBytes} bytes.`,
  },
  unknown_search_resource: {
    status: 422,
    title: 'Unknown search resource',
    help: 'Send resource=fleet, or leave it out: only fleets can be searched for.',
  },
  invalid_permission: {
    status: 422,
    title: 'Invalid permission',
    help: 'Write action:resource, such as create:agent_error, create:* or *:*.',
  },
  undecodable_metrics: {
    status: 422,
    title: 'Undecodable metrics',
    help: 'Send one or more cmetrics contexts in MessagePack. Sending the same again will fail again.',
  },
  core_instance_too_old: {
    status: 426,
    title: 'Core instance too old',
    help: 'Update the core instance, or this service if it is the older one. What waits at the site is kept until then.',
  },
  too_many_invalid_credentials: {
    status: 429,
    title: 'Too many invalid credentials',
    help: 'Correct the credential and wait for the seconds in Retry-After. Other clients at the same address may have caused this; a valid credential is never limited. MUSTER_INVALID_CREDENTIALS_PER_ADDRESS_PER_MINUTE sets the limit.',
  },
  too_many_leak_reports: {
    status: 429,
    title: 'Too many reports of leaks',
    help: 'Wait for the seconds in Retry-After, and send up to 100 values in one report. Reports are counted for each address.',
  },
  too_many_open_errors: {
    status: 429,
    title: 'Too many open errors',
    help: 'Dismiss open errors of this agent, or raise MUSTER_MAX_OPEN_ERRORS_PER_AGENT.',
  },
  too_many_new_errors_of_agent: {
    status: 429,
    title: 'Too many new errors of one agent',
    help: 'Wait for the seconds in Retry-After. Remove changing parts such as times from the text, or raise MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE.',
  },
  too_many_errors_of_cause: {
    status: 429,
    title: 'Too many errors of one cause',
    help: 'Nothing to do at once: other errors of this agent are still stored. Remove the fault, or changing parts from the text, and dismiss open errors of the cause. One cause may have a quarter of what MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE and MUSTER_MAX_OPEN_ERRORS_PER_AGENT allow, at least 10.',
  },
  too_many_new_errors_of_project: {
    status: 429,
    title: 'Too many new errors of one project',
    help: 'Wait for the seconds in Retry-After, or raise MUSTER_NEW_ERRORS_PER_PROJECT_PER_SECOND.',
  },
  too_many_reports_of_token: {
    status: 429,
    title: 'Too many reports of one token',
    help: 'Wait for the seconds in Retry-After. An operator has limited the reports per second of this project token (reportsPerSecond).',
  },
  too_many_fleets: {
    status: 429,
    title: 'Too many fleets of one project',
    help: `A project has at most ${maxFleetsPerProject} fleets. Delete those that no longer exist.`,
  },
  too_many_core_instances: {
    status: 429,
    title: 'Too many core instances of one project',
    help: `A project has at most ${maxCoreInstancesPerProject} core instances. Delete those that no longer exist.`,
  },
  too_many_agents: {
    status: 429,
    title: 'Too many agents of one project',
    help: 'Delete agents that no longer exist, or raise MUSTER_MAX_AGENTS_PER_PROJECT. Agents that are already registered are not affected.',
  },
  too_many_stored_bytes: {
    status: 429,
    title: 'Too many stored bytes of one project',
    help: 'Delete agents that no longer exist, dismiss errors and lower MUSTER_RETENTION_DAYS, or raise MUSTER_MAX_STORED_BYTES_PER_PROJECT. Repeats of open errors are still counted.',
  },
  too_many_new_credentials: {
    status: 429,
    title: 'Too many new credentials',
    help: `A user creates at most ${newCredentialsPerMinute.accessToken} access tokens and ${newCredentialsPerMinute.signInLink} sign-in links in a minute, and has at most ${maxSignInLinks} sign-in links that are neither used nor expired. Wait for the seconds in Retry-After.`,
  },
  too_many_alert_tests: {
    status: 429,
    title: 'Too many test messages',
    help: 'A channel gets at most one test message in 5 seconds. Wait for the seconds in Retry-After.',
  },
  too_many_event_listeners: {
    status: 429,
    title: 'Too many event listeners',
    help: 'Use fewer streams at a time, or raise MUSTER_MAX_EVENT_LISTENERS_PER_PROJECT or MUSTER_MAX_EVENT_LISTENERS_PER_CREDENTIAL.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    help: 'Send less than 16 KiB of headers.',
  },
  ...problemsOfService,
} as const satisfies Record<string, ProblemDefinition>;

/** Stable snake_case name of a refusal. */
export type ProblemCode = keyof typeof catalog;

/** The catalog itself: status, title and help by code. */
export const problems: Readonly<Record<ProblemCode, ProblemDefinition>> = catalog;

/** All codes, in the order of their status. */
export const problemCodes = Object.keys(catalog) as readonly ProblemCode[]; // keys of a literal object

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(catalog, text);
}

/** The short stable sentence for older clients: `invalid_permission` becomes "invalid permission". */
export function problemSentence(code: ProblemCode): string {
  return code.replaceAll('_', ' ');
}

/** One field that was refused: a JSON pointer (RFC 6901) into the body, or the name of a parameter. */
export interface ProblemField {
  readonly path: string;
  readonly message: string;
}
