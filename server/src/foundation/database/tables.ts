import type { Generated } from 'kysely';
import type { AlertTables } from './alert-tables.ts';
import type { AuditTables } from './audit-tables.ts';
import type { CoreInstanceTables } from './core-instance-tables.ts';
import type { FleetTables } from './fleet-tables.ts';
import type { ProjectMoveTables } from './project-move-tables.ts';
import type { RolloutTables } from './rollout-tables.ts';

/** Row types of every table. Times are milliseconds since 1970-01-01 UTC; ids are lower-case UUIDs. */
export interface Tables
  extends AlertTables,
    AuditTables,
    CoreInstanceTables,
    FleetTables,
    ProjectMoveTables,
    RolloutTables {
  users: UserTable;
  access_tokens: AccessTokenTable;
  credential_changes: CredentialChangesTable;
  projects: ProjectTable;
  project_members: ProjectMemberTable;
  invitations: InvitationTable;
  sessions: SessionTable;
  sign_in_links: SignInLinkTable;
  project_tokens: ProjectTokenTable;
  earlier_secrets: EarlierSecretTable;
  rotations: RotationTable;
  token_days: TokenDayTable;
  token_origins: TokenOriginTable;
  earlier_secret_origins: EarlierSecretOriginTable;
  token_leaks: TokenLeakTable;
  agents: AgentTable;
  agent_signs: AgentSignsTable;
  agent_tokens: AgentTokenTable;
  agent_configs: AgentConfigTable;
  agent_errors: AgentErrorTable;
  agent_error_groups: AgentErrorGroupTable;
  dismissals: DismissalTable;
  dismissal_agents: DismissalAgentTable;
  provisioned: ProvisionedTable;
}

/** What provisioning files have made, also what is gone since. */
interface ProvisionedTable {
  kind: string;
  /** An id, two ids with a slash between them, or the digest of a value. */
  key: string;
  applied_at: number;
}

interface UserTable {
  id: string;
  name: string;
  /** Who authenticates the user: this installation (null) or an OpenID Connect issuer and subject. */
  issuer: string | null;
  subject: string | null;
  created_at: number;
  /** 1: may do everything, in every project and on the installation. */
  is_administrator: Generated<number>;
  /** JSON array: the values of MUSTER_OIDC_ROLES_CLAIM in the newest token of the identity provider that was seen. */
  claim_values: Generated<string | null>;
  /** When that token was issued. */
  claims_at: Generated<number | null>;
}

interface AccessTokenTable {
  id: string;
  user_id: string;
  name: string;
  digest: string;
  last_four: string;
  /** 1: set by the installation at its start, not by a user. */
  is_initial: number;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  /** The access token that created it. It is revoked with that token. */
  parent_id: Generated<string | null>;
  /** JSON array of the grants to which it is narrowed. Null: all that its user has. */
  permissions: Generated<string | null>;
  /** JSON array of the ids of the projects to which it is narrowed. Null: all projects of its user, and the installation. */
  project_ids: Generated<string | null>;
  /** Of its value: every rotation makes the next one. */
  secret_number: Generated<number>;
  rotated_at: number | null;
  /** When somebody last reported that they had found a value of it, where, and the number of the newest value that was found. */
  leaked_at: Generated<number | null>;
  leak_source: Generated<string | null>;
  leaked_number: Generated<number | null>;
}

/** Values that were reported as found in public, and are not dealt with yet. */
interface TokenLeakTable {
  id: string;
  digest: string;
  /** Where it was found, in the words of whoever reported it. */
  source: string | null;
  /** Of the report. */
  address: string | null;
  request_id: string;
  reported_at: number;
}

interface CredentialChangesTable {
  id: number;
  generation: number;
  /** Grows with every change of what fleets serve. */
  fleet_generation: Generated<number>;
  /** On PostgreSQL, after the last change by a user, in bytes of the log. Only with MUSTER_READ_DATABASE_URL. */
  list_position: Generated<number>;
}

interface ProjectTable {
  id: string;
  name: string;
  /** JSON: when no rollout starts. */
  freeze_windows: Generated<string>;
  created_at: number;
  updated_at: number;
  /** 0: it moves, or has moved. Nothing shows it then, nothing works on it, and nothing removes it (`moving-projects.ts`). */
  deleted_at: number | null;
}

interface ProjectMemberTable {
  id: string;
  project_id: string;
  user_id: string;
  /** A role of the contract, or `custom`. */
  role: string;
  /** JSON array of grants, of a custom role. */
  permissions: string | null;
  created_at: number;
  created_by_kind: string;
  created_by_id: string | null;
}

interface InvitationTable {
  id: string;
  project_id: string;
  /** As of a member. */
  role: string;
  permissions: string | null;
  /** For whom it is. Nothing checks it. */
  email: string | null;
  digest: string;
  created_at: number;
  created_by_id: string;
  expires_at: number;
  accepted_at: number | null;
  accepted_by_id: string | null;
  revoked_at: number | null;
}

/** Browsers in which users are signed in. */
interface SessionTable {
  id: string;
  /** Of the value in the cookie. */
  digest: string;
  user_id: string;
  method: string;
  /** The access token with which it was created, and the number of its value. Null: the identity provider let the user in. */
  access_token_id: string | null;
  token_number: number | null;
  created_at: number;
  /** Its latest end. */
  expires_at: number;
  last_used_at: number;
  revoked_at: number | null;
  address: string | null;
  user_agent: string | null;
}

/** Links with which a browser signs in, once. */
interface SignInLinkTable {
  id: string;
  digest: string;
  user_id: string;
  /** As of a session. */
  access_token_id: string;
  token_number: number;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

interface ProjectTokenTable {
  id: string;
  project_id: string;
  name: string;
  /** JSON array of grants. */
  permissions: string;
  digest: string;
  last_four: string;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  created_by_kind: string;
  created_by_id: string | null;
  /** What its creator was called then. */
  created_by_name: string | null;
  revoked_by_kind: string | null;
  revoked_by_id: string | null;
  revoked_by_name: string | null;
  revoke_reason: string | null;
  /** 1: it was revoked together with the tokens of the agents that registered with it. */
  ends_agents: Generated<number>;
  /** Of its value: every rotation makes the next one. */
  secret_number: Generated<number>;
  rotated_at: number | null;
  /** The user who got its current value by a rotation. Null: somebody else. */
  rotated_by_id: string | null;
  /** JSON array of networks in CIDR notation. Null: every address is allowed. */
  allowed_networks: string | null;
  reports_per_second: number | null;
  /** When somebody last reported that they had found a value of it, where, and the number of the newest value that was found. */
  leaked_at: Generated<number | null>;
  leak_source: Generated<string | null>;
  leaked_number: Generated<number | null>;
  /** The project token that created it, or last widened it. It is revoked with that token. */
  parent_id: string | null;
  /** JSON array of the permissions that a user granted, which do not depend on the parent. Null: none. */
  own_permissions: string | null;
}

/** A value that a token had before a rotation, and that may still be accepted. Of project tokens and access tokens. */
interface EarlierSecretTable {
  digest: string;
  token_id: string;
  number: number;
  last_four: string;
  /** From then on it is refused. Null: not decided yet. */
  ends_at: number | null;
  /** 1: it ends when a later value is used for the first time. */
  retires_on_use: number;
  /** The user who got this value by a rotation. Null: somebody else. */
  rotated_by_id: string | null;
  last_used_at: number | null;
}

/** A rotation with an Idempotency-Key, so that its answer can be repeated. */
interface RotationTable {
  token_id: string;
  key_digest: string;
  /** Of the value that it made. */
  number: number;
  /** JSON of what was asked for. */
  request: string;
  /** With the caller's credential and the key it gives the value again. Null: the value is not shown again. */
  salt: string | null;
  created_at: number;
}

interface TokenDayTable {
  token_id: string;
  /** Days since 1970-01-01 UTC. */
  day: number;
  requests: number;
}

interface TokenOriginTable extends OriginColumns {
  token_id: string;
}

/** The last ones that used a value from before a rotation. */
interface EarlierSecretOriginTable extends OriginColumns {
  digest: string;
}

interface OriginColumns {
  /** `address` or `user_agent`. */
  kind: string;
  origin: string;
  last_used_at: number;
}

interface AgentTable {
  id: string;
  project_id: string;
  machine_id: string;
  name: string;
  type: string | null;
  version: string | null;
  edition: string | null;
  os: string | null;
  arch: string | null;
  /** JSON. */
  flags: string;
  /** JSON. */
  metadata: string;
  /** JSON. */
  tags: string;
  fleet_id: string | null;
  registered_with: string | null;
  /** The token of its last report by machine id. */
  reported_with: string | null;
  /** Time and address of the last registration of its machine id without its token. */
  reregistered_at: number | null;
  reregistered_from: string | null;
  /** When an operator allowed its machine id to be registered again; null after that registration. */
  released_at: number | null;
  /** Increases with every configuration that differs from the previous one. */
  epoch: number;
  config_id: string | null;
  /** SHA-256 of the configuration as sent, secrets included. */
  config_digest: string | null;
  created_at: number;
  updated_at: number;
  last_seen_at: number;
  /** When the agent last said what it is and runs. Null: it never did. */
  described_at: number | null;
  described_through: string | null;
  deleted_at: number | null;
  /** Why the service deleted it by itself. Null: somebody deleted it, or nobody did. */
  deletion_reason: string | null;
}

/** What an agent has said about being alive. Absent: nothing yet. */
interface AgentSignsTable {
  project_id: string;
  agent_id: string;
  /** When it was last heard, by any kind of request. 0: never. */
  seen_at: number;
  /** The last of its heartbeats and metrics. */
  beat_at: number | null;
  /** Between its last two beats. */
  gap_ms: number | null;
  /** The longer of the last two gaps; null until there are two beats. */
  observed_ms: number | null;
  /** How often it has promised to send a sign of life. 0: it promises nothing. Null: it has not said. */
  promised_ms: number | null;
  /** Since when it is known to be offline; null once it is heard again. */
  offline_at: number | null;
  /** When it said that it ends; null once it is heard again. */
  stopped_at: number | null;
  /** 1: it ended with a failure. */
  stop_failed: number;
  exit_code: number | null;
  signal: string | null;
  /** Ends with a failure, each soon after the one before. */
  failures: number;
  failing_since: number | null;
  failed_at: number | null;
  /** When something last ended that had made it anything but healthy. */
  recovered_at: number | null;
  /** The core instance that last spoke for it. Null: it spoke itself. */
  core_instance_id: Generated<string | null>;
  /** Since when that one is not heard. Null: it is, or there is none. */
  unreachable_since: Generated<number | null>;
}

interface AgentTokenTable {
  agent_id: string;
  digest: string;
  /** A UUIDv7: the order in which the tokens of an agent were created. */
  sequence: string;
  created_at: number;
  /** When it was first used with success; null until then. */
  used_at: number | null;
  /** The project token that it was made with. */
  created_with: string;
  /** When somebody reported that they had found it, if it stayed valid. */
  leaked_at: Generated<number | null>;
}

interface AgentConfigTable {
  agent_id: string;
  id: string;
  project_id: string;
  epoch: number;
  raw_config: string;
  /** Equal for configurations that differ in nothing but what each agent has for itself. */
  text_digest: string;
  created_at: number;
}

interface AgentErrorTable {
  agent_id: string;
  id: string;
  project_id: string;
  error: string;
  /** SHA-256 of the text. Texts are equal if their digests are equal. */
  error_digest: Uint8Array;
  epoch: number;
  config_id: string | null;
  created_at: number;
  occurrences: number;
  last_seen_at: number;
  dismissed_at: number | null;
  dismiss_reason: string | null;
  dismissed_by_kind: string | null;
  dismissed_by_id: string | null;
  /** Null where it was stored by a version that knew no groups, until it is grouped. */
  group_id: string | null;
  /** When the service found that its agent has another configuration by now, while it was open. */
  superseded_at: number | null;
  /** 1: stored as dismissed, since its group was muted. Null: not. */
  is_muted: number | null;
  /** The dismissal of many errors that dismissed it. Null: it is open, or was dismissed alone. */
  dismissal_id: string | null;
}

/** Errors with the same cause in one project. The counts are written by the counter alone. */
interface AgentErrorGroupTable {
  /** Follows from the project and the pattern. */
  id: string;
  project_id: string;
  pattern: string;
  /** The text of the first error. */
  example: string;
  /** Of the rules that made the pattern. */
  fold_version: number;
  first_config_id: string | null;
  first_seen_at: number;
  last_seen_at: number;
  /** When the counter saw its first error; null until then. */
  counted_at: number | null;
  /** When the last open error of now was dismissed; null where one was created or reopened since. */
  dismissed_at: number | null;
  /** When some of its open errors of now were last dismissed; null where one of them came back since, or all were dismissed. */
  partly_dismissed_at: Generated<number | null>;
  /** When the first error was created after the one, or came back after the other. */
  regressed_at: number | null;
  /** What that was before its errors were last dismissed. */
  regressed_before: Generated<number | null>;
  muted_until: number | null;
  muted_at: number | null;
  mute_reason: string | null;
  muted_by_kind: string | null;
  muted_by_id: string | null;
  /** 1: the mute also ends with an error of an agent that got another configuration after it began. */
  mute_ends_with_config: Generated<number | null>;
  /** The mute also ends when as many agents have stored errors. */
  mute_ends_at_agents: Generated<number | null>;
  /** The user who looks after it. */
  assignee_id: Generated<string | null>;
  note: Generated<string | null>;
  link: Generated<string | null>;
  /** When one of these three was last changed. */
  noted_at: Generated<number | null>;
  noted_by_kind: Generated<string | null>;
  noted_by_id: Generated<string | null>;
  /** Of the errors that are stored. */
  occurrences: number;
  /** Open, of the configuration that its agent has now. */
  current_errors: number;
  /** Open, of an earlier configuration. */
  superseded_errors: number;
  dismissed_errors: number;
  current_agents: number;
  superseded_agents: number;
  /** Agents with a current or a superseded error. */
  open_agents: number;
  dismissed_agents: number;
  /** Agents with any error. */
  agents: number;
}

/** A dismissal of many errors at once: a job that runs in portions. */
interface DismissalTable {
  id: string;
  project_id: string;
  reason: string;
  /** JSON, as it was requested. */
  filter: string;
  /** Only errors with a smaller id are dismissed. */
  bound_id: string;
  state: string;
  /** Also the time at which its errors were dismissed. */
  requested_at: number;
  requested_by_kind: string;
  requested_by_id: string | null;
  /** The last error that was looked at; null: none yet. */
  cursor_id: string | null;
  errors_count: Generated<number>;
  agents_count: Generated<number>;
  /** When the last error was dismissed, or the undo stopped it. */
  ended_at: number | null;
  undo_requested_at: number | null;
  undo_requested_by_kind: string | null;
  undo_requested_by_id: string | null;
  undo_ended_at: number | null;
  reopened_count: Generated<number>;
  /** Not reopened, because an equal error is open. */
  equal_open_count: Generated<number>;
  /** The process that works on it. */
  lease_holder: string | null;
  /** From then on, another process may take it. */
  lease_until: Generated<number>;
}

/** An agent with an error that a dismissal has dismissed. */
interface DismissalAgentTable {
  dismissal_id: string;
  agent_id: string;
}
