import { type OidcClient, withClientID } from '../oidc-client.ts';
import type { Secret } from '../secret.ts';
import { type AlertConfig, alertSettings, mailOf } from './alert-settings.ts';
import { ConfigError } from './config-error.ts';
import { explainIncomplete } from './incomplete-settings.ts';
import type { OidcRoles } from './oidc-roles.ts';
import { type ConfigSources, findGiven, readSetting } from './read-setting.ts';
import type { Setting } from './setting.ts';
import {
  adminToken,
  anyText,
  Duration,
  directory,
  duration,
  file,
  host,
  issuerUrl,
  type LeakMode,
  type LogFormat,
  type LogLevel,
  leakMode,
  logFormat,
  logLevel,
  metricsToken,
  oidcRoles,
  postgresUrl,
  publicUrl,
  type RegistrationMode,
  registrationMode,
  secretText,
  trustedProxies,
  wholeNumber,
} from './setting-types.ts';
import { unknownVariables } from './unknown-variables.ts';

export { ConfigError } from './config-error.ts';
export type { Setting } from './setting.ts';
export type { ConfigSources };

/** Every setting of the service: parsing, flags and documentation are all derived from here. */
export const settings = {
  host: {
    variable: 'HOST',
    flag: '--host',
    type: host,
    default: '127.0.0.1',
    help: 'Address to listen on. 0.0.0.0 or :: accepts connections from other machines.',
  },
  port: {
    variable: 'PORT',
    flag: '--port',
    type: wholeNumber(0, 65_535),
    default: 7400,
    help: 'TCP port to listen on. 0 picks any free port.',
  },
  dataDirectory: {
    variable: 'MUSTER_DATA_DIR',
    flag: '--data-dir',
    type: directory,
    default: './data',
    help: "Directory of the embedded database and the administrator's token. Created if it is missing.",
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    flag: '--database-url',
    type: postgresUrl,
    default: undefined,
    help: 'PostgreSQL database to use. Absent: SQLite in the data directory.',
  },
  readDatabaseUrl: {
    variable: 'MUSTER_READ_DATABASE_URL',
    flag: '--read-database-url',
    type: postgresUrl,
    default: undefined,
    help: 'Hot standby of that PostgreSQL, from which lists for people are read while it is at most 5 s behind. Give all replicas the same. Absent: everything is read from the primary.',
  },
  adminToken: {
    variable: 'MUSTER_ADMIN_TOKEN',
    flag: '--admin-token',
    type: adminToken,
    default: undefined,
    help: 'Access token of the administrator, instead of the one that the first start creates and writes to the data directory. Every start revokes the token that was set before, so give all replicas the same. Prefer the variable: flags are visible to every user of the machine.',
  },
  provisionFile: {
    variable: 'MUSTER_PROVISION_FILE',
    flag: '--provision-file',
    type: file,
    default: undefined,
    help: 'File with projects, members, tokens and fleets that are made at each start if they do not exist. See docs/provisioning.md.',
  },
  publicUrl: {
    variable: 'MUSTER_PUBLIC_URL',
    flag: '--public-url',
    type: publicUrl,
    default: undefined,
    help: 'Address at which people and agents reach the service, used in links. Absent: the address that it listens on.',
  },
  tlsCert: {
    variable: 'MUSTER_TLS_CERT',
    flag: '--tls-cert',
    type: file,
    default: undefined,
    help: 'File with the TLS certificate of the service, followed by those of its issuers, in PEM format. The service then accepts only HTTPS (TLS 1.2 and newer). A changed file is used within seconds, without a restart. Requires the key too.',
  },
  tlsKey: {
    variable: 'MUSTER_TLS_KEY',
    flag: '--tls-key',
    type: file,
    default: undefined,
    help: 'File with the private key of that certificate, in PEM format without a passphrase. Requires the certificate too.',
  },
  trustProxy: {
    variable: 'MUSTER_TRUST_PROXY',
    flag: '--trust-proxy',
    type: trustedProxies,
    default: false,
    help: 'Proxies whose X-Forwarded headers are trusted. `true` trusts every sender: use it only if nothing but a proxy can reach the port.',
  },
  logLevel: {
    variable: 'MUSTER_LOG_LEVEL',
    flag: '--log-level',
    type: logLevel,
    default: 'info',
    help: 'Minimum severity of log lines.',
  },
  logFormat: {
    variable: 'MUSTER_LOG_FORMAT',
    flag: '--log-format',
    type: logFormat,
    default: undefined,
    help: 'Form of the log: `json`, one object per line, or `text` for people. Absent: `text` if the log goes to a terminal, otherwise `json`.',
  },
  metricsToken: {
    variable: 'MUSTER_METRICS_TOKEN',
    flag: '--metrics-token',
    type: metricsToken,
    default: undefined,
    help: 'Token that `/metrics` requires (`Authorization: Bearer …`). With it, the metrics of agents and errors are divided by project. Absent: `/metrics` needs no credential, and shows no ids of projects. Prefer the variable: flags are visible to every user of the machine.',
  },
  maxOpenErrorsPerAgent: {
    variable: 'MUSTER_MAX_OPEN_ERRORS_PER_AGENT',
    flag: '--max-open-errors-per-agent',
    type: wholeNumber(0, 1_000_000_000),
    default: 1000,
    help: 'Maximum number of open errors of one agent. A further distinct one is refused with 429. One cause may have a quarter of them, at least 10. 0: no limit.',
  },
  newErrorsPerAgentPerMinute: {
    variable: 'MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE',
    flag: '--new-errors-per-agent-per-minute',
    type: wholeNumber(0, 1_000_000_000),
    default: 120,
    help: 'Maximum number of new errors of one agent per minute. Repeats of open errors do not count. One cause may have a quarter of them, at least 10. 0: no limit.',
  },
  newErrorsPerProjectPerSecond: {
    variable: 'MUSTER_NEW_ERRORS_PER_PROJECT_PER_SECOND',
    flag: '--new-errors-per-project-per-second',
    type: wholeNumber(0, 1_000_000_000),
    default: 0,
    help: 'Maximum number of new errors of one project per second. Repeats of open errors do not count. One cause may have a quarter of them, at least 10. 0: no limit.',
  },
  maxAgentsPerProject: {
    variable: 'MUSTER_MAX_AGENTS_PER_PROJECT',
    flag: '--max-agents-per-project',
    type: wholeNumber(0, 1_000_000_000),
    default: 100_000,
    help: 'Maximum number of agents in one project. Further agents are refused with 429; they try again and register as soon as there is room. 0: no limit.',
  },
  maxStoredBytesPerProject: {
    variable: 'MUSTER_MAX_STORED_BYTES_PER_PROJECT',
    flag: '--max-stored-bytes-per-project',
    type: wholeNumber(0, 1_000_000_000_000_000),
    default: 10_737_418_240,
    help: 'Maximum number of bytes that the agents of one project store: configurations with their history, metadata, tags and errors, dismissed ones too. From 90 % on, configurations and large metadata are left out; at the maximum, new errors are refused with 429. 0: no limit.',
  },
  maxMetadataBytesPerAgent: {
    variable: 'MUSTER_MAX_METADATA_BYTES_PER_AGENT',
    flag: '--max-metadata-bytes-per-agent',
    type: wholeNumber(0, 4_194_304),
    default: 65_536,
    help: 'Maximum size of the metadata of one agent as JSON. Fields that do not fit are left out, and the agent is accepted without them. 0: no limit.',
  },
  invalidCredentialsPerAddressPerMinute: {
    variable: 'MUSTER_INVALID_CREDENTIALS_PER_ADDRESS_PER_MINUTE',
    flag: '--invalid-credentials-per-address-per-minute',
    type: wholeNumber(0, 1_000_000_000),
    default: 30,
    help: 'Maximum number of requests with invalid credentials from one address (IPv6: one /64) per minute. Further requests with unknown credentials are refused with 429; valid credentials are still accepted. Behind a proxy that MUSTER_TRUST_PROXY does not name, all callers count as one address. 0: no limit.',
  },
  leakedTokens: {
    variable: 'MUSTER_LEAKED_TOKENS',
    flag: '--leaked-tokens',
    type: leakMode,
    default: 'revoke',
    help: 'What happens to a valid credential that somebody reports as found in public (`muster token scan --report`). `revoke`: it is refused from then on. `report`: it stays valid, and people of the project are told. Anybody who has the value can report it.',
  },
  registration: {
    variable: 'MUSTER_REGISTRATION',
    flag: '--registration',
    type: registrationMode,
    default: 'open',
    help: "The callers that may register a machine that already has an agent. `open`: any project token with create:agent; agents that do not store their session need this at each start. `once`: only a caller that also sends the agent's own token as X-Agent-Token, or the next caller after `muster agent release`. Fluent Bit then needs a `store_path`.",
  },
  retentionDays: {
    variable: 'MUSTER_RETENTION_DAYS',
    flag: '--retention-days',
    type: wholeNumber(1, 36_500),
    default: 90,
    help: 'Number of days for which dismissed errors, and tokens and invitations that have ended, are kept.',
  },
  dismissSupersededDays: {
    variable: 'MUSTER_DISMISS_SUPERSEDED_DAYS',
    flag: '--dismiss-superseded-days',
    type: wholeNumber(0, 36_500),
    default: 7,
    help: 'Number of days after which the service dismisses an open error of an earlier configuration of its agent. 0: never.',
  },
  forgetAgentsDays: {
    variable: 'MUSTER_FORGET_AGENTS_DAYS',
    flag: '--forget-agents-days',
    type: wholeNumber(0, 36_500),
    default: 0,
    help: 'Number of days after which the service deletes an agent that it has not heard. Only time in which the service runs counts, and no agent is deleted while its site is unreachable or has not delivered what waits there. 0: never.',
  },
  auditDays: {
    variable: 'MUSTER_AUDIT_DAYS',
    flag: '--audit-days',
    type: wholeNumber(0, 36_500),
    default: 365,
    help: 'Number of days for which entries of the audit log are kept. What is left can still be verified. 0: for ever.',
  },
  eventsHours: {
    variable: 'MUSTER_EVENTS_HOURS',
    flag: '--events-hours',
    type: wholeNumber(1, 8_760),
    default: 24,
    help: 'Number of hours for which events are kept. A listener that was away for longer gets the event `reset`.',
  },
  maxEventListeners: {
    variable: 'MUSTER_MAX_EVENT_LISTENERS',
    flag: '--max-event-listeners',
    type: wholeNumber(0, 1_000_000),
    default: 2_000,
    help: 'Maximum number of open event streams of one replica. Further ones are refused with 503. 0: no limit.',
  },
  maxEventListenersPerProject: {
    variable: 'MUSTER_MAX_EVENT_LISTENERS_PER_PROJECT',
    flag: '--max-event-listeners-per-project',
    type: wholeNumber(0, 1_000_000),
    default: 500,
    help: 'Maximum number of open event streams of one project on one replica. Further ones are refused with 429. 0: no limit.',
  },
  maxEventListenersPerCredential: {
    variable: 'MUSTER_MAX_EVENT_LISTENERS_PER_CREDENTIAL',
    flag: '--max-event-listeners-per-credential',
    type: wholeNumber(0, 1_000_000),
    default: 50,
    help: 'Maximum number of open event streams of one project token, or of all access tokens of one user, on one replica. Further ones are refused with 429. 0: no limit.',
  },
  ...alertSettings,
  maxLogMegabytes: {
    variable: 'MUSTER_MAX_LOG_MEGABYTES',
    flag: '--max-log-megabytes',
    type: wholeNumber(1, 100_000),
    default: 64,
    help: 'Size of the write-ahead log of the embedded database, in MiB, above which new errors wait until the log is emptied. The log can grow larger while another program reads the database. No effect with PostgreSQL.',
  },
  backupDirectory: {
    variable: 'MUSTER_BACKUP_DIR',
    flag: '--backup-dir',
    type: directory,
    default: undefined,
    help: 'Directory into which the service writes backups of its database by itself, such as a mounted disk of another machine. Absent: it makes none.',
  },
  backupEvery: {
    variable: 'MUSTER_BACKUP_EVERY',
    flag: '--backup-every',
    type: duration,
    default: new Duration('1d', 86_400_000),
    help: 'Time between two backups of the service, counted from the newest one in MUSTER_BACKUP_DIR, also over restarts.',
  },
  backupKeep: {
    variable: 'MUSTER_BACKUP_KEEP',
    flag: '--backup-keep',
    type: wholeNumber(0, 1_000_000),
    default: 7,
    help: 'Number of backups that are kept in MUSTER_BACKUP_DIR; older ones are removed after a new one is complete. 0: all.',
  },
  oidcIssuer: {
    variable: 'MUSTER_OIDC_ISSUER',
    flag: '--oidc-issuer',
    type: issuerUrl,
    default: undefined,
    help: 'OpenID Connect issuer whose users are accepted, spelled exactly as in its tokens. Requires MUSTER_OIDC_AUDIENCE, MUSTER_OIDC_CLIENT_ID, or both.',
  },
  sessionIdleHours: {
    variable: 'MUSTER_SESSION_IDLE_HOURS',
    flag: '--session-idle-hours',
    type: wholeNumber(1, 8_760),
    default: 12,
    help: 'Number of hours without a request after which a browser is signed out.',
  },
  sessionMaxDays: {
    variable: 'MUSTER_SESSION_MAX_DAYS',
    flag: '--session-max-days',
    type: wholeNumber(1, 365),
    default: 7,
    help: 'Number of days after which a browser is signed out, whether it is used or not.',
  },
  oidcAccessTokenHours: {
    variable: 'MUSTER_OIDC_ACCESS_TOKEN_HOURS',
    flag: '--oidc-access-token-hours',
    type: wholeNumber(0, 8_760),
    default: 24,
    help: 'Number of hours for which an access token is valid if a user creates it with a token of the identity provider. 0: until that token expires.',
  },
  oidcProjectTokenDays: {
    variable: 'MUSTER_OIDC_PROJECT_TOKEN_DAYS',
    flag: '--oidc-project-token-days',
    type: wholeNumber(0, 36_500),
    default: 365,
    help: 'Maximum number of days for which a project token is valid if a user of the identity provider creates or extends it. 0: no limit.',
  },
  oidcAudience: {
    variable: 'MUSTER_OIDC_AUDIENCE',
    flag: '--oidc-audience',
    type: anyText,
    default: undefined,
    help: 'Audience that an access token of the identity provider must have. Requires the issuer too. Absent: people only sign in to a browser, and access tokens of the provider are refused. Use an audience that only Muster has: with the audience of another client, an ID token of that client may pass for an access token.',
  },
  oidcClientID: {
    variable: 'MUSTER_OIDC_CLIENT_ID',
    flag: '--oidc-client-id',
    type: anyText,
    default: undefined,
    help: 'Client of the identity provider with which people sign in to a browser. Requires the issuer and MUSTER_PUBLIC_URL. Register MUSTER_PUBLIC_URL followed by `/sign_in/callback` as its redirect URI.',
  },
  oidcClientSecret: {
    variable: 'MUSTER_OIDC_CLIENT_SECRET',
    flag: '--oidc-client-secret',
    type: secretText,
    default: undefined,
    help: 'Secret of this client. Absent: a public client. Prefer the variable: flags are visible to every user of the machine.',
  },
  oidcScopes: {
    variable: 'MUSTER_OIDC_SCOPES',
    flag: '--oidc-scopes',
    type: anyText,
    default: 'openid profile email',
    help: 'Scopes that are asked for when somebody signs in to a browser. Some providers send the groups of a user only with a scope of their own, such as `groups`.',
  },
  oidcRoles: {
    variable: 'MUSTER_OIDC_ROLES',
    flag: '--oidc-roles',
    type: oidcRoles,
    default: undefined,
    help: 'Roles of users of the identity provider by the values of a claim, such as `{"platform": "administrator", "telemetry": {"*": "viewer"}}`: `administrator` of the installation, or a role (owner, operator, viewer, or a list of permissions) for each id of a project, `*` for every project. Users without a value that is named here have access to nothing until they are invited.',
  },
  oidcRolesClaim: {
    variable: 'MUSTER_OIDC_ROLES_CLAIM',
    flag: '--oidc-roles-claim',
    type: anyText,
    default: 'groups',
    help: 'Claim of the access token whose values MUSTER_OIDC_ROLES names: a text or a list of texts. Dots lead into objects, as in `realm_access.roles`, unless there is a claim with the whole name.',
  },
} as const satisfies Record<string, Setting>;

export interface Config extends AlertConfig {
  readonly host: string;
  readonly port: number;
  readonly dataDirectory: string;
  readonly databaseUrl: string | undefined;
  /** A standby of it. */
  readonly readDatabaseUrl: string | undefined;
  readonly adminToken: Secret | undefined;
  readonly provisionFile: string | undefined;
  readonly publicUrl: string | undefined;
  /** Absent: plain HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly trustProxy: boolean | string;
  readonly logLevel: LogLevel;
  /** Absent: text on a terminal, otherwise JSON. */
  readonly logFormat: LogFormat | undefined;
  readonly metricsToken: Secret | undefined;
  readonly maxOpenErrorsPerAgent: number;
  readonly newErrorsPerAgentPerMinute: number;
  readonly newErrorsPerProjectPerSecond: number;
  readonly maxAgentsPerProject: number;
  readonly maxStoredBytesPerProject: number;
  readonly maxMetadataBytesPerAgent: number;
  readonly invalidCredentialsPerAddressPerMinute: number;
  readonly leakedTokens: LeakMode;
  readonly registration: RegistrationMode;
  readonly retentionDays: number;
  readonly dismissSupersededDays: number;
  readonly forgetAgentsDays: number;
  readonly auditDays: number;
  readonly eventsHours: number;
  readonly maxEventListeners: number;
  readonly maxEventListenersPerProject: number;
  readonly maxEventListenersPerCredential: number;
  readonly maxLogMegabytes: number;
  readonly sessionIdleHours: number;
  readonly sessionMaxDays: number;
  /** Absent: the service makes no backups by itself. */
  readonly backupDirectory: string | undefined;
  readonly backupEvery: Duration;
  readonly backupKeep: number;
  readonly oidcAccessTokenHours: number;
  readonly oidcProjectTokenDays: number;
  /** Without an audience, people only sign in to a browser, and access tokens of the provider are refused. */
  readonly oidc: { readonly issuer: string; readonly audience: string | undefined } | undefined;
  /** With which people sign in to a browser. Absent: not through the identity provider. */
  readonly oidcClient: OidcClient | undefined;
  /** Absent: no user of the identity provider has a role by a claim. */
  readonly oidcRoles: OidcRoles | undefined;
  readonly oidcRolesClaim: string;
}

/**
 * Reads every setting; an empty text counts as absent.
 *
 * @throws ConfigError that names all faults together
 */
export function readConfig(sources: ConfigSources): Config {
  const faults: string[] = [];
  const read = <Value, Default extends Value | undefined>(setting: Setting<Value, Default>) =>
    readSetting(setting, sources, faults);
  const config: Config = {
    host: read(settings.host),
    port: read(settings.port),
    dataDirectory: read(settings.dataDirectory),
    databaseUrl: read(settings.databaseUrl),
    readDatabaseUrl: read(settings.readDatabaseUrl),
    adminToken: read(settings.adminToken),
    provisionFile: read(settings.provisionFile),
    publicUrl: read(settings.publicUrl),
    tls: bothTlsFiles(read(settings.tlsCert), read(settings.tlsKey)),
    trustProxy: read(settings.trustProxy),
    logLevel: read(settings.logLevel),
    logFormat: read(settings.logFormat),
    metricsToken: read(settings.metricsToken),
    maxOpenErrorsPerAgent: read(settings.maxOpenErrorsPerAgent),
    newErrorsPerAgentPerMinute: read(settings.newErrorsPerAgentPerMinute),
    newErrorsPerProjectPerSecond: read(settings.newErrorsPerProjectPerSecond),
    maxAgentsPerProject: read(settings.maxAgentsPerProject),
    maxStoredBytesPerProject: read(settings.maxStoredBytesPerProject),
    maxMetadataBytesPerAgent: read(settings.maxMetadataBytesPerAgent),
    invalidCredentialsPerAddressPerMinute: read(settings.invalidCredentialsPerAddressPerMinute),
    leakedTokens: read(settings.leakedTokens),
    registration: read(settings.registration),
    retentionDays: read(settings.retentionDays),
    dismissSupersededDays: read(settings.dismissSupersededDays),
    forgetAgentsDays: read(settings.forgetAgentsDays),
    auditDays: read(settings.auditDays),
    eventsHours: read(settings.eventsHours),
    maxEventListeners: read(settings.maxEventListeners),
    maxEventListenersPerProject: read(settings.maxEventListenersPerProject),
    maxEventListenersPerCredential: read(settings.maxEventListenersPerCredential),
    secretKey: read(settings.secretKey),
    mail: mailOf(read(settings.smtpUrl), read(settings.smtpFrom)),
    alertAllowedHosts: read(settings.alertAllowedHosts) ?? [],
    alertDeliveriesDays: read(settings.alertDeliveriesDays),
    maxLogMegabytes: read(settings.maxLogMegabytes),
    sessionIdleHours: read(settings.sessionIdleHours),
    sessionMaxDays: read(settings.sessionMaxDays),
    backupDirectory: read(settings.backupDirectory),
    backupEvery: read(settings.backupEvery),
    backupKeep: read(settings.backupKeep),
    oidcAccessTokenHours: read(settings.oidcAccessTokenHours),
    oidcProjectTokenDays: read(settings.oidcProjectTokenDays),
    oidc: withIssuer(read(settings.oidcIssuer), read(settings.oidcAudience)),
    oidcClient: withClientID(read(settings.oidcClientID), {
      secret: read(settings.oidcClientSecret),
      scopes: read(settings.oidcScopes),
    }),
    oidcRoles: read(settings.oidcRoles),
    oidcRolesClaim: read(settings.oidcRolesClaim),
  };
  faults.push(
    ...explainIncomplete<Setting>((setting) => findGiven(setting, sources)?.name, settings),
    ...unknownVariables(sources.env, Object.values(settings)),
  );
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function withIssuer(issuer: string | undefined, audience: string | undefined): Config['oidc'] {
  return issuer === undefined ? undefined : { issuer, audience };
}

function bothTlsFiles(certFile: string | undefined, keyFile: string | undefined): Config['tls'] {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}
