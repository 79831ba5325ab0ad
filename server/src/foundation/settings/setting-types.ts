import { isIP, isIPv4 } from 'node:net';
import { isWellFormedToken, tokenPrefixes } from '@muster/contract';
import { parseDatabaseUrl } from '../database/postgres/database-url.ts';
import { Secret } from '../secret.ts';
import { type OidcRoles, parseOidcRoles } from './oidc-roles.ts';

/** Parses the text of a setting. */
export interface SettingType<Value> {
  /** Placeholder for the value in the help of a flag. */
  readonly placeholder: string;
  /** Completes the sentence "it takes …". */
  readonly takes: string;
  /** True if the text is never shown, not even in a fault. */
  readonly secret?: boolean;
  /** Returns undefined for an invalid text. The text is never empty. */
  readonly parse: (text: string) => Value | undefined;
  /** What is wrong with an invalid text, in whole sentences. */
  readonly explain?: (text: string) => string;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export const directory: SettingType<string> = {
  placeholder: 'directory',
  takes: 'the path of a directory',
  parse: (text) => text,
};

export const file: SettingType<string> = {
  placeholder: 'file',
  takes: 'the path of a file',
  parse: (text) => text,
};

export const anyText: SettingType<string> = {
  placeholder: 'text',
  takes: 'any text',
  parse: (text) => text,
};

export const host: SettingType<string> = {
  placeholder: 'host',
  takes: 'an IP address or a host name',
  parse: (text) => (isIP(text) !== 0 || isHostName(text) ? text : undefined),
};

export function wholeNumber(minimum: number, maximum: number): SettingType<number> {
  return {
    placeholder: 'number',
    takes: `a whole number from ${minimum} to ${maximum}`,
    parse(text) {
      if (!/^(0|[1-9]\d{0,14})$/.test(text)) return undefined;
      const value = Number(text);
      return value >= minimum && value <= maximum ? value : undefined;
    },
  };
}

/** A length of time that prints as it is written: `6h`. */
export class Duration {
  readonly milliseconds: number;
  readonly #text: string;

  constructor(text: string, milliseconds: number) {
    this.#text = text;
    this.milliseconds = milliseconds;
  }

  toString(): string {
    return this.#text;
  }
}

const minuteMilliseconds = 60_000;
const units = {
  m: minuteMilliseconds,
  min: minuteMilliseconds,
  h: 60 * minuteMilliseconds,
  d: 24 * 60 * minuteMilliseconds,
} as const;
const maxDurationMilliseconds = 366 * units.d;

/** At least one minute. */
export const duration: SettingType<Duration> = {
  placeholder: 'duration',
  takes: 'a number of minutes, hours or days such as 30m, 6h or 1d, at most 366d',
  parse(text) {
    const match = /^([1-9]\d{0,5})(m|min|h|d)$/.exec(text);
    if (match === null) return undefined;
    const milliseconds = Number(match[1]) * units[match[2] as keyof typeof units]; // the pattern allows no other
    return milliseconds <= maxDurationMilliseconds ? new Duration(text, milliseconds) : undefined;
  },
};

const registrationModes = ['open', 'once'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

export const registrationMode: SettingType<RegistrationMode> = {
  placeholder: 'mode',
  takes: registrationModes.join(' or '),
  parse: (text) => registrationModes.find((mode) => mode === text),
};

const leakModes = ['revoke', 'report'] as const;

export type LeakMode = (typeof leakModes)[number];

export const leakMode: SettingType<LeakMode> = {
  placeholder: 'mode',
  takes: leakModes.join(' or '),
  parse: (text) => leakModes.find((mode) => mode === text),
};

export const logLevel: SettingType<LogLevel> = {
  placeholder: 'level',
  takes: `one of ${logLevels.join(', ')}`,
  parse: (text) => logLevels.find((level) => level === text),
};

const logFormats = ['json', 'text'] as const;
export type LogFormat = (typeof logFormats)[number];

export const logFormat: SettingType<LogFormat> = {
  placeholder: 'format',
  takes: logFormats.join(' or '),
  parse: (text) => logFormats.find((format) => format === text),
};

/** The whole URL is secret, because it contains the password of the database. */
export const postgresUrl: SettingType<string> = {
  placeholder: 'url',
  takes:
    'a URL such as postgres://user:password@host:5432/database, or one with several hosts and ?target_session_attrs=read-write',
  secret: true,
  parse(text) {
    try {
      parseDatabaseUrl(text);
      return text;
    } catch {
      return undefined;
    }
  },
};

export const adminToken: SettingType<Secret> = {
  placeholder: 'token',
  takes:
    'at least 32 characters of printable ASCII without spaces; if it looks like a token of Muster, it must be a complete access token',
  secret: true,
  parse: (text) => (/^[\x21-\x7e]{32,}$/.test(text) && canSignIn(text) ? new Secret(text) : undefined),
};

export const metricsToken: SettingType<Secret> = {
  placeholder: 'token',
  takes: 'at least 32 characters of printable ASCII without spaces, which are no token of Muster',
  secret: true,
  parse: (text) => (/^[\x21-\x7e]{32,}$/.test(text) && !isMarked(text) ? new Secret(text) : undefined),
};

export const secretKey: SettingType<Secret> = {
  placeholder: 'key',
  takes: 'at least 32 characters of printable ASCII without spaces, chosen at random',
  secret: true,
  parse: (text) => (/^[\x21-\x7e]{32,}$/.test(text) ? new Secret(text) : undefined),
};

/** The whole URL is secret, because it contains the password of the mail server. */
export const smtpUrl: SettingType<Secret> = {
  placeholder: 'url',
  takes:
    'a URL such as smtps://user:password@mail.example.com:465 or smtp://user:password@mail.example.com:587',
  secret: true,
  parse(text) {
    const url = parseUrl(text, ['smtp:', 'smtps:']);
    return url === undefined || url.hostname === '' ? undefined : new Secret(text);
  },
};

export const mailAddress: SettingType<string> = {
  placeholder: 'address',
  takes: 'a mail address such as muster@example.com',
  parse: (text) => (/^[^\s@<>(),;:"\\]+@[^\s@<>(),;:"\\]+$/.test(text) ? text : undefined),
};

/** Host names, addresses and networks, each with a port or without. */
export const allowedHosts: SettingType<readonly string[]> = {
  placeholder: 'hosts',
  takes:
    'host names, addresses and networks with commas between them, such as alerts.internal,10.1.0.0/16,127.0.0.1',
  parse(text) {
    const hosts = text.split(',').map((one) => one.trim().toLowerCase());
    return hosts.every((one) => isAddressOrRange(one) || isHostName(one)) ? hosts : undefined;
  },
};

export const secretText: SettingType<Secret> = {
  placeholder: 'text',
  takes: 'any text',
  secret: true,
  parse: (text) => new Secret(text),
};

/** A text that looks like a token of Muster must be a valid one, otherwise every request with it would be refused. */
function canSignIn(text: string): boolean {
  return !isMarked(text) || isWellFormedToken('access', text);
}

function isMarked(text: string): boolean {
  return text.startsWith('mst_') || text.includes(`.${tokenPrefixes.project}`);
}

/** Without a trailing slash, so that a path can be appended. */
export const publicUrl: SettingType<string> = {
  placeholder: 'url',
  takes: 'a URL that begins with http:// or https://, without a user, a query or a fragment',
  parse(text) {
    const url = parsePlainUrl(text);
    return url === undefined ? undefined : `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  },
};

/** Kept unchanged: tokens contain their issuer literally, some with a trailing slash. */
export const issuerUrl: SettingType<string> = {
  placeholder: 'url',
  takes: 'a URL that begins with http:// or https://, without a user, a query or a fragment',
  parse: (text) => (parsePlainUrl(text) === undefined ? undefined : text),
};

export const oidcRoles: SettingType<OidcRoles> = {
  placeholder: 'json',
  takes: 'a JSON object from values of the claim to roles',
  parse(text) {
    const parsed = parseOidcRoles(text);
    return isMap(parsed) ? parsed : undefined;
  },
  explain(text) {
    const parsed = parseOidcRoles(text);
    return isMap(parsed) ? '' : parsed.join(' ');
  },
};

function isMap(parsed: OidcRoles | readonly string[]): parsed is OidcRoles {
  return parsed instanceof Map;
}

/** The values of Fastify's `trustProxy`, except numbers of hops. */
export const trustedProxies: SettingType<boolean | string> = {
  placeholder: 'proxies',
  takes:
    'true, false, or addresses and address ranges with commas between them, such as 10.0.0.0/8,127.0.0.1',
  parse(text) {
    if (text === 'true') return true;
    if (text === 'false') return false;
    const addresses = text.split(',').map((address) => address.trim());
    return addresses.every(isAddressOrRange) ? addresses.join(',') : undefined;
  },
};

function isHostName(text: string): boolean {
  // Only digits and dots: a mistyped address, not a name.
  if (text.length > 253 || /^[\d.]+$/.test(text)) return false;
  return text.split('.').every((label) => /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i.test(label));
}

function parsePlainUrl(text: string): URL | undefined {
  const url = parseUrl(text, ['http:', 'https:']);
  if (url === undefined || url.username !== '' || url.password !== '') return undefined;
  return /[?#]/.test(text) ? undefined : url;
}

/** Requires `//`: the parser would also accept `http:host` and repair it. */
function parseUrl(text: string, protocols: readonly string[]): URL | undefined {
  if (!protocols.some((protocol) => text.startsWith(`${protocol}//`)) || /\s/.test(text)) return undefined;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  if (isIP(address) === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (isIPv4(address) ? 32 : 128);
}
