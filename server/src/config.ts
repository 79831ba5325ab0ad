import { nearestName } from '@muster/contract';
import type { Secret } from './secret.ts';
import {
  adminToken,
  anyText,
  directory,
  host,
  issuerUrl,
  type LogLevel,
  logLevel,
  postgresUrl,
  publicUrl,
  type RegistrationMode,
  registrationMode,
  type SettingType,
  trustedProxies,
  wholeNumber,
} from './setting-types.ts';

/** One setting of the service, given as an environment variable or as a flag of `muster serve`. */
export interface Setting<Value = unknown, Default extends Value | undefined = Value | undefined> {
  readonly variable: string;
  readonly flag: `--${string}`;
  readonly type: SettingType<Value>;
  /** What holds when the setting is absent; undefined where nothing does. */
  readonly default: Default;
  /** Whole sentences, in Markdown that also reads well as plain text. */
  readonly help: string;
}

/** Every setting of the service: what is parsed, the flags and the documentation all come from here. */
export const settings = {
  host: {
    variable: 'HOST',
    flag: '--host',
    type: host,
    default: '127.0.0.1',
    help: 'Address to listen on. 0.0.0.0 or :: lets other machines in.',
  },
  port: {
    variable: 'PORT',
    flag: '--port',
    type: wholeNumber(0, 65_535),
    default: 7400,
    help: 'TCP port to listen on. 0 takes any free one.',
  },
  dataDirectory: {
    variable: 'MUSTER_DATA_DIR',
    flag: '--data-dir',
    type: directory,
    default: './data',
    help: "Where the embedded database and the administrator's token are kept. Created when it is missing.",
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    flag: '--database-url',
    type: postgresUrl,
    default: undefined,
    help: 'PostgreSQL database to use. Without it: SQLite in the data directory.',
  },
  adminToken: {
    variable: 'MUSTER_ADMIN_TOKEN',
    flag: '--admin-token',
    type: adminToken,
    default: undefined,
    help: 'Access token of the administrator, instead of one that the first start makes and writes to the data directory. Every start revokes the one that was set before: give all replicas the same. Prefer the variable: flags are visible to every user of the machine.',
  },
  publicUrl: {
    variable: 'MUSTER_PUBLIC_URL',
    flag: '--public-url',
    type: publicUrl,
    default: undefined,
    help: 'Address under which people and agents reach the service, for the links that it hands out. Without it: the address that it listens on.',
  },
  trustProxy: {
    variable: 'MUSTER_TRUST_PROXY',
    flag: '--trust-proxy',
    type: trustedProxies,
    default: false,
    help: 'Proxies whose X-Forwarded headers are believed. `true` believes everybody: only where nothing but a proxy reaches the port.',
  },
  logLevel: {
    variable: 'MUSTER_LOG_LEVEL',
    flag: '--log-level',
    type: logLevel,
    default: 'info',
    help: 'Least severe kind of log line that is written.',
  },
  maxOpenErrorsPerAgent: {
    variable: 'MUSTER_MAX_OPEN_ERRORS_PER_AGENT',
    flag: '--max-open-errors-per-agent',
    type: wholeNumber(0, 1_000_000_000),
    default: 1000,
    help: 'Most open errors of one agent; a further distinct one is refused with 429. 0: no limit.',
  },
  newErrorsPerAgentPerMinute: {
    variable: 'MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE',
    flag: '--new-errors-per-agent-per-minute',
    type: wholeNumber(0, 1_000_000_000),
    default: 120,
    help: 'Most new errors of one agent in a minute; repeated ones are ignored and do not count. 0: no limit.',
  },
  newErrorsPerProjectPerSecond: {
    variable: 'MUSTER_NEW_ERRORS_PER_PROJECT_PER_SECOND',
    flag: '--new-errors-per-project-per-second',
    type: wholeNumber(0, 1_000_000_000),
    default: 0,
    help: 'Most new errors of one project in a second; repeated ones are ignored and do not count. 0: no limit.',
  },
  maxAgentsPerProject: {
    variable: 'MUSTER_MAX_AGENTS_PER_PROJECT',
    flag: '--max-agents-per-project',
    type: wholeNumber(0, 1_000_000_000),
    default: 100_000,
    help: 'Maximum number of agents in one project. A further one is refused with 429 and registers by itself once there is room. 0: no limit.',
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
    help: 'Most requests with invalid credentials of one address (of IPv6: of one /64) in a minute; further ones with unknown credentials are refused with 429. Valid credentials are let in all the same. Behind a proxy that MUSTER_TRUST_PROXY does not name, all callers count as one address. 0: no limit.',
  },
  registration: {
    variable: 'MUSTER_REGISTRATION',
    flag: '--registration',
    type: registrationMode,
    default: 'open',
    help: "Who may register a machine that has an agent already. `open`: any project token with create:agent, as agents that keep no session need at each start. `once`: only a caller that also sends the agent's own token as X-Agent-Token, or the next caller after `muster agent release`. Fluent Bit needs a `store_path` then.",
  },
  retentionDays: {
    variable: 'MUSTER_RETENTION_DAYS',
    flag: '--retention-days',
    type: wholeNumber(1, 36_500),
    default: 90,
    help: 'Days for which a dismissed error is kept.',
  },
  maxLogMegabytes: {
    variable: 'MUSTER_MAX_LOG_MEGABYTES',
    flag: '--max-log-megabytes',
    type: wholeNumber(1, 100_000),
    default: 64,
    help: 'Size of the write-ahead log of the embedded database, in MiB, above which new errors wait until it is emptied. It grows beyond while another program reads the database. No effect with PostgreSQL.',
  },
  oidcIssuer: {
    variable: 'MUSTER_OIDC_ISSUER',
    flag: '--oidc-issuer',
    type: issuerUrl,
    default: undefined,
    help: 'OpenID Connect issuer whose access tokens are accepted, spelt exactly as in them. Needs the audience too.',
  },
  oidcAccessTokenHours: {
    variable: 'MUSTER_OIDC_ACCESS_TOKEN_HOURS',
    flag: '--oidc-access-token-hours',
    type: wholeNumber(0, 8_760),
    default: 24,
    help: 'Hours for which an access token is valid that a user creates with a token of the identity provider. 0: until that token ends.',
  },
  oidcProjectTokenDays: {
    variable: 'MUSTER_OIDC_PROJECT_TOKEN_DAYS',
    flag: '--oidc-project-token-days',
    type: wholeNumber(0, 36_500),
    default: 365,
    help: 'Days for which a project token is valid at most that a user of the identity provider creates or prolongs. 0: no limit.',
  },
  oidcAudience: {
    variable: 'MUSTER_OIDC_AUDIENCE',
    flag: '--oidc-audience',
    type: anyText,
    default: undefined,
    help: 'Audience that such an access token must be meant for. Needs the issuer too. Use one that is for Muster alone: with the audience of another client, an ID token of that client may pass for an access token.',
  },
} as const satisfies Record<string, Setting>;

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDirectory: string;
  readonly databaseUrl: string | undefined;
  readonly adminToken: Secret | undefined;
  readonly publicUrl: string | undefined;
  readonly trustProxy: boolean | string;
  readonly logLevel: LogLevel;
  readonly maxOpenErrorsPerAgent: number;
  readonly newErrorsPerAgentPerMinute: number;
  readonly newErrorsPerProjectPerSecond: number;
  readonly maxAgentsPerProject: number;
  readonly maxStoredBytesPerProject: number;
  readonly maxMetadataBytesPerAgent: number;
  readonly invalidCredentialsPerAddressPerMinute: number;
  readonly registration: RegistrationMode;
  readonly retentionDays: number;
  readonly maxLogMegabytes: number;
  readonly oidcAccessTokenHours: number;
  readonly oidcProjectTokenDays: number;
  readonly oidc: { readonly issuer: string; readonly audience: string } | undefined;
}

export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By flag, such as `--port`. A flag wins over its variable. */
  readonly flags: Readonly<Record<string, string | undefined>>;
}

/** Everything that is wrong with the settings, a sentence for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/**
 * Reads every setting; an empty text is an absent one.
 *
 * @throws ConfigError that names all faults at once.
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
    adminToken: read(settings.adminToken),
    publicUrl: read(settings.publicUrl),
    trustProxy: read(settings.trustProxy),
    logLevel: read(settings.logLevel),
    maxOpenErrorsPerAgent: read(settings.maxOpenErrorsPerAgent),
    newErrorsPerAgentPerMinute: read(settings.newErrorsPerAgentPerMinute),
    newErrorsPerProjectPerSecond: read(settings.newErrorsPerProjectPerSecond),
    maxAgentsPerProject: read(settings.maxAgentsPerProject),
    maxStoredBytesPerProject: read(settings.maxStoredBytesPerProject),
    maxMetadataBytesPerAgent: read(settings.maxMetadataBytesPerAgent),
    invalidCredentialsPerAddressPerMinute: read(settings.invalidCredentialsPerAddressPerMinute),
    registration: read(settings.registration),
    retentionDays: read(settings.retentionDays),
    maxLogMegabytes: read(settings.maxLogMegabytes),
    oidcAccessTokenHours: read(settings.oidcAccessTokenHours),
    oidcProjectTokenDays: read(settings.oidcProjectTokenDays),
    oidc: bothOrNone(read(settings.oidcIssuer), read(settings.oidcAudience)),
  };
  faults.push(...halfOidc(sources), ...unknownVariables(sources.env));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** Notes a fault and goes on with the default, so that one run finds all faults. */
function readSetting<Value, Default extends Value | undefined>(
  setting: Setting<Value, Default>,
  sources: ConfigSources,
  faults: string[],
): Value | Default {
  const given = findGiven(setting, sources);
  if (given === undefined) return setting.default;
  const value = setting.type.parse(given.text);
  if (value !== undefined) return value;
  const what = setting.type.secret
    ? 'is not valid (its value is secret and not shown)'
    : `is ${quote(given.text)}`;
  faults.push(`${given.name} ${what}, but it takes ${setting.type.takes}.`);
  return setting.default;
}

interface Given {
  /** The flag or the variable, whichever the text came from. */
  readonly name: string;
  readonly text: string;
}

function findGiven({ flag, variable }: Setting, { env, flags }: ConfigSources): Given | undefined {
  const ofFlag = flags[flag];
  if (ofFlag !== undefined && ofFlag !== '') return { name: flag, text: ofFlag };
  const ofVariable = env[variable];
  return ofVariable === undefined || ofVariable === '' ? undefined : { name: variable, text: ofVariable };
}

/** On one line and of bounded length; what stands before the @ of a URL may be a password. */
function quote(text: string): string {
  const safe = text.replaceAll(/\/\/[^/]*@/g, '//[secret]@');
  const short = safe.length > 100 ? `${safe.slice(0, 100)}…` : safe;
  return `'${JSON.stringify(short).slice(1, -1)}'`;
}

function bothOrNone(issuer: string | undefined, audience: string | undefined): Config['oidc'] {
  return issuer === undefined || audience === undefined ? undefined : { issuer, audience };
}

function halfOidc(sources: ConfigSources): string[] {
  const issuer = findGiven(settings.oidcIssuer, sources);
  const audience = findGiven(settings.oidcAudience, sources);
  if (issuer !== undefined && audience === undefined) {
    return [`${issuer.name} is set, but ${settings.oidcAudience.variable} is not: set both or none.`];
  }
  if (issuer === undefined && audience !== undefined) {
    return [`${audience.name} is set, but ${settings.oidcIssuer.variable} is not: set both or none.`];
  }
  return [];
}

/** A mistyped variable would otherwise go unnoticed, with the default in force. */
function unknownVariables(env: ConfigSources['env']): string[] {
  const known: readonly string[] = Object.values(settings).map(({ variable }) => variable);
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith('MUSTER_') && value !== undefined && value !== '')
    .filter(([name, value = '']) => !known.includes(name) && !belongsToOthers(name, value))
    .map(([name]) => {
      const nearest = nearestVariable(name, known);
      return nearest === undefined
        ? `${name} is no setting of Muster: unset it. 'muster serve --help' lists them all.`
        : `${name} is no setting of Muster: did you mean ${nearest}?`;
    });
}

function nearestVariable(name: string, known: readonly string[]): string | undefined {
  const withoutPrefix = name.slice('MUSTER_'.length);
  if (known.includes(withoutPrefix)) return withoutPrefix;
  return nearestName(
    name,
    known.map((variable) => variable.toLowerCase()),
  )?.toUpperCase();
}

/** Variables of the command-line client and the tests, and those that Kubernetes and Docker make of a service's name. */
function belongsToOthers(name: string, value: string): boolean {
  return (
    ['MUSTER_URL', 'MUSTER_TOKEN', 'MUSTER_PROFILE'].includes(name) ||
    name.startsWith('MUSTER_TEST_') ||
    /^MUSTER_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/.test(name) ||
    (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value))
  );
}
