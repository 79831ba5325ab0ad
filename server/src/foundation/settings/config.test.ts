import { describe, expect, it } from 'vitest';
import { Secret } from '../secret.ts';
import { ConfigError, readConfig, type Setting, settings } from './config.ts';
import { Duration } from './setting-types.ts';

const longToken = 'a-token-of-the-operator-0123456789';

function read(env: Record<string, string | undefined> = {}, flags: Record<string, string | undefined> = {}) {
  return readConfig({ env, flags });
}

function faultsOf(env: Record<string, string | undefined>, flags: Record<string, string | undefined> = {}) {
  try {
    readConfig({ env, flags });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  it('gives every setting its default when nothing is set', () => {
    expect(read()).toEqual({
      host: '127.0.0.1',
      port: 7400,
      dataDirectory: './data',
      databaseUrl: undefined,
      adminToken: undefined,
      publicUrl: undefined,
      tls: undefined,
      trustProxy: false,
      logLevel: 'info',
      logFormat: undefined,
      metricsToken: undefined,
      maxOpenErrorsPerAgent: 1000,
      newErrorsPerAgentPerMinute: 120,
      newErrorsPerProjectPerSecond: 0,
      maxAgentsPerProject: 100_000,
      maxStoredBytesPerProject: 10 * 1024 ** 3,
      maxMetadataBytesPerAgent: 65_536,
      invalidCredentialsPerAddressPerMinute: 30,
      leakedTokens: 'revoke',
      registration: 'open',
      retentionDays: 90,
      dismissSupersededDays: 7,
      forgetAgentsDays: 0,
      auditDays: 365,
      eventsHours: 24,
      maxEventListeners: 2_000,
      maxEventListenersPerProject: 500,
      maxEventListenersPerCredential: 50,
      secretKey: undefined,
      mail: undefined,
      alertAllowedHosts: [],
      alertDeliveriesDays: 30,
      backupDirectory: undefined,
      backupEvery: new Duration('1d', 86_400_000),
      backupKeep: 7,
      maxLogMegabytes: 64,
      sessionIdleHours: 12,
      sessionMaxDays: 7,
      oidcAccessTokenHours: 24,
      oidcProjectTokenDays: 365,
      oidc: undefined,
      oidcClient: undefined,
      oidcRoles: undefined,
      oidcRolesClaim: 'groups',
    });
  });

  it('reads every setting from its variable', () => {
    const config = read({
      HOST: '0.0.0.0',
      PORT: '8080',
      MUSTER_DATA_DIR: '/var/lib/muster',
      MUSTER_ADMIN_TOKEN: longToken,
      MUSTER_PUBLIC_URL: 'https://muster.example.com',
      MUSTER_TLS_CERT: '/etc/muster/tls.crt',
      MUSTER_BACKUP_DIR: '/mnt/backups',
      MUSTER_BACKUP_EVERY: '6h',
      MUSTER_BACKUP_KEEP: '8',
      MUSTER_TLS_KEY: '/etc/muster/tls.key',
      MUSTER_TRUST_PROXY: '10.0.0.0/8',
      MUSTER_LOG_LEVEL: 'debug',
      MUSTER_LOG_FORMAT: 'text',
      MUSTER_METRICS_TOKEN: `${longToken}-metrics`,
      MUSTER_MAX_OPEN_ERRORS_PER_AGENT: '1',
      MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE: '2',
      MUSTER_NEW_ERRORS_PER_PROJECT_PER_SECOND: '3',
      MUSTER_MAX_AGENTS_PER_PROJECT: '6',
      MUSTER_MAX_STORED_BYTES_PER_PROJECT: '7',
      MUSTER_MAX_METADATA_BYTES_PER_AGENT: '8',
      MUSTER_INVALID_CREDENTIALS_PER_ADDRESS_PER_MINUTE: '5',
      MUSTER_REGISTRATION: 'once',
      MUSTER_DISMISS_SUPERSEDED_DAYS: '0',
      MUSTER_FORGET_AGENTS_DAYS: '30',
      MUSTER_AUDIT_DAYS: '730',
      MUSTER_RETENTION_DAYS: '4',
      MUSTER_EVENTS_HOURS: '6',
      MUSTER_MAX_EVENT_LISTENERS: '7',
      MUSTER_MAX_EVENT_LISTENERS_PER_PROJECT: '8',
      MUSTER_MAX_EVENT_LISTENERS_PER_CREDENTIAL: '9',
      MUSTER_SECRET_KEY: `${longToken}-key`,
      MUSTER_SMTP_URL: 'smtps://user:password@mail.example.com:465',
      MUSTER_SMTP_FROM: 'muster@example.com',
      MUSTER_ALERT_ALLOWED_HOSTS: 'mattermost.internal, 10.1.0.0/16',
      MUSTER_ALERT_DELIVERIES_DAYS: '10',
      MUSTER_MAX_LOG_MEGABYTES: '5',
      MUSTER_OIDC_ISSUER: 'https://login.example.com/',
      MUSTER_OIDC_AUDIENCE: 'muster',
      MUSTER_SESSION_IDLE_HOURS: '1',
      MUSTER_SESSION_MAX_DAYS: '2',
      MUSTER_OIDC_CLIENT_ID: 'muster-web',
      MUSTER_OIDC_CLIENT_SECRET: 'canary',
      MUSTER_OIDC_SCOPES: 'openid groups',
      MUSTER_OIDC_ACCESS_TOKEN_HOURS: '6',
      MUSTER_OIDC_PROJECT_TOKEN_DAYS: '7',
      MUSTER_OIDC_ROLES: '{"admins":"administrator"}',
      MUSTER_OIDC_ROLES_CLAIM: 'realm_access.roles',
    });
    expect(config).toEqual({
      host: '0.0.0.0',
      port: 8080,
      dataDirectory: '/var/lib/muster',
      databaseUrl: undefined,
      adminToken: config.adminToken,
      publicUrl: 'https://muster.example.com',
      tls: { certFile: '/etc/muster/tls.crt', keyFile: '/etc/muster/tls.key' },
      trustProxy: '10.0.0.0/8',
      logLevel: 'debug',
      logFormat: 'text',
      metricsToken: config.metricsToken,
      maxOpenErrorsPerAgent: 1,
      newErrorsPerAgentPerMinute: 2,
      newErrorsPerProjectPerSecond: 3,
      maxAgentsPerProject: 6,
      maxStoredBytesPerProject: 7,
      maxMetadataBytesPerAgent: 8,
      invalidCredentialsPerAddressPerMinute: 5,
      leakedTokens: 'revoke',
      registration: 'once',
      retentionDays: 4,
      dismissSupersededDays: 0,
      forgetAgentsDays: 30,
      auditDays: 730,
      eventsHours: 6,
      maxEventListeners: 7,
      maxEventListenersPerProject: 8,
      maxEventListenersPerCredential: 9,
      secretKey: config.secretKey,
      mail: { url: config.mail?.url, from: 'muster@example.com' },
      alertAllowedHosts: ['mattermost.internal', '10.1.0.0/16'],
      alertDeliveriesDays: 10,
      backupDirectory: '/mnt/backups',
      backupEvery: new Duration('6h', 6 * 3_600_000),
      backupKeep: 8,
      maxLogMegabytes: 5,
      sessionIdleHours: 1,
      sessionMaxDays: 2,
      oidcClient: { id: 'muster-web', secret: expect.any(Secret), scopes: 'openid groups' },
      oidcAccessTokenHours: 6,
      oidcProjectTokenDays: 7,
      oidcRoles: new Map([['admins', { isAdministrator: true, everyProject: [], projects: new Map() }]]),
      oidcRolesClaim: 'realm_access.roles',
      oidc: { issuer: 'https://login.example.com/', audience: 'muster' },
    });
    expect(config.secretKey?.reveal()).toBe(`${longToken}-key`);
    expect(config.mail?.url.reveal()).toBe('smtps://user:password@mail.example.com:465');
    expect(config.adminToken?.reveal()).toBe(longToken);
    expect(config.metricsToken?.reveal()).toBe(`${longToken}-metrics`);
  });

  it.each([
    ['90m', 90 * 60_000],
    ['90min', 90 * 60_000],
    ['2h', 120 * 60_000],
  ])('reads the length of time %s', (text, milliseconds) => {
    expect(read({ MUSTER_BACKUP_EVERY: text }).backupEvery).toEqual(new Duration(text, milliseconds));
  });

  it('needs both settings of mail, or none', () => {
    expect(faultsOf({ MUSTER_SMTP_FROM: 'muster@example.com' })).toEqual([
      'MUSTER_SMTP_FROM is set, but MUSTER_SMTP_URL is not: set both or none.',
    ]);
  });

  it('reads every setting from its flag, which overrides the variable', () => {
    const env = { PORT: '1', MUSTER_DATA_DIR: 'env', MUSTER_LOG_LEVEL: 'warn' };
    const config = read(env, { '--port': '2', '--data-dir': 'flag' });
    expect([config.port, config.dataDirectory, config.logLevel]).toEqual([2, 'flag', 'warn']);
  });

  it('ignores an invalid variable that a flag overrides', () => {
    expect(read({ PORT: 'wrong' }, { '--port': '2' }).port).toBe(2);
  });

  it('treats an empty variable or flag as absent', () => {
    const config = read({ PORT: '', HOST: '::1', MUSTER_OIDC_ISSUER: '' }, { '--host': '', '--port': '' });
    expect([config.port, config.host, config.oidc]).toEqual([7400, '::1', undefined]);
  });

  it('collects every fault and names the variable or the flag that it came from', () => {
    expect(
      faultsOf(
        {
          HOST: 'not a host',
          MUSTER_RETENTION_DAYS: '0',
          MUSTER_LOGLEVEL: 'debug',
          MUSTER_OIDC_AUDIENCE: 'x',
        },
        { '--port': '70000' },
      ),
    ).toEqual([
      "HOST is 'not a host', but it takes an IP address or a host name.",
      "--port is '70000', but it takes a whole number from 0 to 65535.",
      "MUSTER_RETENTION_DAYS is '0', but it takes a whole number from 1 to 36500.",
      'MUSTER_OIDC_AUDIENCE is set, but MUSTER_OIDC_ISSUER is not: set both or none.',
      'MUSTER_LOGLEVEL is not a setting of Muster: did you mean MUSTER_LOG_LEVEL?',
    ]);
  });

  it('puts each fault on its own line of the message', () => {
    expect(() => read({ HOST: '!', PORT: '!' })).toThrow(
      "HOST is '!', but it takes an IP address or a host name.\nPORT is '!', but it takes a whole number from 0 to 65535.",
    );
  });

  it('keeps each fault short and on one line for any input', () => {
    const [fault] = faultsOf({ PORT: `1\n\u001b[2J${'9'.repeat(1000)}` });
    expect(fault).toBe(
      `PORT is '1\\n\\u001b[2J${'9'.repeat(94)}…', but it takes a whole number from 0 to 65535.`,
    );
  });
});

describe('values', () => {
  const valid = [
    ['host', 'localhost', 'localhost'],
    ['host', 'muster.internal', 'muster.internal'],
    ['host', '::', '::'],
    ['port', '0', 0],
    ['port', '65535', 65535],
    ['publicUrl', 'https://muster.example.com/', 'https://muster.example.com'],
    ['publicUrl', 'http://10.0.0.1:7400', 'http://10.0.0.1:7400'],
    ['publicUrl', 'https://example.com/muster//', 'https://example.com/muster'],
    ['trustProxy', 'true', true],
    ['trustProxy', 'false', false],
    ['trustProxy', '10.0.0.1, fd00::/8', '10.0.0.1,fd00::/8'],
    ['logLevel', 'silent', 'silent'],
    ['maxOpenErrorsPerAgent', '0', 0],
  ] as const;
  it.each(valid)('%s takes %s', (name, text, value) => {
    expect(read({ [settings[name].variable]: text })[name]).toBe(value);
  });

  const invalid: readonly (readonly [variable: string, text: string])[] = [
    ['HOST', '127.0.0.256'],
    ['HOST', 'http://localhost'],
    ['HOST', '-muster'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '7400.0'],
    ['PORT', '0x10'],
    ['PORT', '1e3'],
    ['PORT', '007'],
    ['PORT', ' 7400'],
    ['MUSTER_PUBLIC_URL', 'muster.example.com'],
    ['MUSTER_PUBLIC_URL', 'ftp://example.com'],
    ['MUSTER_PUBLIC_URL', 'http:example.com'],
    ['MUSTER_PUBLIC_URL', 'https://example.com/?x=1'],
    ['MUSTER_PUBLIC_URL', 'https://example.com/#top'],
    ['MUSTER_PUBLIC_URL', 'https://'],
    ['MUSTER_TRUST_PROXY', 'yes'],
    ['MUSTER_TRUST_PROXY', '10.0.0.0/33'],
    ['MUSTER_TRUST_PROXY', '10.0.0.1,'],
    ['MUSTER_TRUST_PROXY', '1'],
    ['MUSTER_LOG_LEVEL', 'INFO'],
    ['MUSTER_LOG_LEVEL', 'verbose'],
    ['MUSTER_MAX_OPEN_ERRORS_PER_AGENT', 'unlimited'],
    ['MUSTER_RETENTION_DAYS', '1.5'],
    ['MUSTER_RETENTION_DAYS', '99999999999999999999'],
  ];
  it.each(invalid)('%s refuses %s', (variable, text) => {
    expect(faultsOf({ [variable]: text })).toEqual([
      expect.stringMatching(new RegExp(`^${variable} is '.*', but it takes .+\\.$`)),
    ]);
  });
});

describe('secrets', () => {
  it.each([
    ['MUSTER_ADMIN_TOKEN', 'too-short-to-be-safe'],
    ['MUSTER_ADMIN_TOKEN', 'thirty-two characters with spaces in between'],
    ['MUSTER_ADMIN_TOKEN', 'thirty-two-characters-and-one-umlaut-ü'],
    ['MUSTER_METRICS_TOKEN', 'too-short-to-be-safe'],
    ['MUSTER_METRICS_TOKEN', `mst_a_${'x'.repeat(40)}`],
    ['DATABASE_URL', 'mysql://user:hunter2@db/muster'],
    ['DATABASE_URL', 'postgres:///hunter2'],
  ])('a wrong %s is not shown', (variable, text) => {
    const [fault = ''] = faultsOf({ [variable]: text });
    expect(fault).toContain(`${variable} is not valid (its value is secret and not shown), but it takes `);
    expect(fault).not.toContain(text);
    expect(fault).not.toContain('hunter2');
  });

  it('the part of a URL before the @ is not shown', () => {
    expect(faultsOf({ MUSTER_PUBLIC_URL: 'https://user:hunter2@example.com' })).toEqual([
      "MUSTER_PUBLIC_URL is 'https://[secret]@example.com', but it takes a URL that begins with http:// or https://, without a user, a query or a fragment.",
    ]);
  });

  it('the token of the administrator prints as [secret]', () => {
    expect(JSON.stringify(read({ MUSTER_ADMIN_TOKEN: longToken }))).not.toContain(longToken);
  });
});

describe('DATABASE_URL', () => {
  it.each([
    'postgres://db/muster',
    'postgresql://user:password@db:5432/muster?sslmode=require',
    'postgres://user:password@one:5432,two:5433/muster?target_session_attrs=read-write',
  ])('takes %s', (url) => {
    expect(read({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  it.each([
    'mysql://db/muster',
    'db',
    'postgres://one:port/muster',
    'postgres://db/muster?target_session_attrs=standby',
  ])('refuses %s without showing it', (url) => {
    expect(faultsOf({ DATABASE_URL: url })).toEqual([
      'DATABASE_URL is not valid (its value is secret and not shown), but it takes a URL such as postgres://user:password@host:5432/database, or one with several hosts and ?target_session_attrs=read-write.',
    ]);
  });
});

describe('OpenID Connect', () => {
  it('needs the audience of access tokens or a client for browsers beside the issuer', () => {
    expect(faultsOf({}, { '--oidc-issuer': 'https://login.example.com' })).toEqual([
      '--oidc-issuer is set, but neither MUSTER_OIDC_AUDIENCE nor MUSTER_OIDC_CLIENT_ID is: set the audience of access tokens that programs send, the client with which people sign in to a browser, or both.',
    ]);
  });

  it('needs no audience where people only sign in to a browser', () => {
    const { oidc, oidcClient } = read({
      MUSTER_OIDC_ISSUER: 'https://login.example.com',
      MUSTER_OIDC_CLIENT_ID: 'muster-web',
      MUSTER_PUBLIC_URL: 'https://muster.example.com',
    });
    expect(oidc).toEqual({ issuer: 'https://login.example.com', audience: undefined });
    expect(oidcClient?.id).toBe('muster-web');
  });

  it('requires what sign-in with a browser through the identity provider needs', () => {
    expect(faultsOf({ MUSTER_OIDC_CLIENT_ID: 'muster-web' })).toEqual([
      'MUSTER_OIDC_CLIENT_ID is set, but MUSTER_OIDC_ISSUER is not: sign-in with a browser needs it.',
      'MUSTER_OIDC_CLIENT_ID is set, but MUSTER_PUBLIC_URL is not: sign-in with a browser needs it.',
    ]);
    expect(faultsOf({ MUSTER_OIDC_CLIENT_SECRET: 'canary' })).toEqual([
      'MUSTER_OIDC_CLIENT_SECRET is set, but MUSTER_OIDC_CLIENT_ID is not: set both, or only the id.',
    ]);
  });

  it('reports only the invalid issuer when both are set', () => {
    expect(faultsOf({ MUSTER_OIDC_ISSUER: 'login', MUSTER_OIDC_AUDIENCE: 'muster' })).toHaveLength(1);
  });
});

describe('unknown variables', () => {
  it.each([
    ['MUSTER_DATADIR', 'did you mean MUSTER_DATA_DIR?'],
    ['MUSTER_PORT', 'did you mean PORT?'],
    ['MUSTER_DATABASE_URL', 'did you mean DATABASE_URL?'],
    ['MUSTER_SOMETHING_ELSE', "unset it. 'muster serve --help' lists them all."],
  ])('%s is a fault with a hint', (name, hint) => {
    expect(faultsOf({ [name]: 'x' })).toEqual([expect.stringContaining(hint)]);
  });

  it('the value of an unknown variable is not shown', () => {
    expect(faultsOf({ MUSTER_ADMIN_TOKN: longToken }).join()).not.toContain(longToken);
  });

  it.each([
    ['MUSTER_URL', 'http://localhost:7400'],
    ['MUSTER_TOKEN', longToken],
    ['MUSTER_PROFILE', 'production'],
    ['MUSTER_PROJECT', 'default'],
    ['MUSTER_TEST_DATABASE_URL', 'postgres://localhost'],
    ['MUSTER_EMPTY', ''],
    ['MUSTER_SERVICE_HOST', '10.96.0.7'],
    ['MUSTER_SERVICE_PORT_HTTP', '7400'],
    ['MUSTER_PORT', 'tcp://10.96.0.7:7400'],
    ['MUSTER_PORT_7400_TCP_ADDR', '10.96.0.7'],
    ['MUSTER_POSTGRESQL_PORT', 'tcp://10.96.0.8:5432'],
    ['PATH', '/usr/bin'],
  ])('%s belongs to others', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([]);
  });
});

describe('settings', () => {
  const all: readonly Setting[] = Object.values(settings);

  it('each have their own variable and flag', () => {
    expect(new Set(all.map(({ variable }) => variable)).size).toBe(all.length);
    expect(new Set(all.map(({ flag }) => flag)).size).toBe(all.length);
  });

  it.each(all)('$variable has a flag named after it', ({ variable, flag }) => {
    expect(flag).toBe(
      `--${variable
        .replace(/^MUSTER_/, '')
        .toLowerCase()
        .replaceAll('_', '-')}`,
    );
  });

  it.each(all)('$variable accepts its own default', (setting) => {
    const text = String(setting.default ?? '');
    expect(text === '' ? undefined : setting.type.parse(text)).toEqual(setting.default);
  });
});
