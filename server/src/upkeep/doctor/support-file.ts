import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { redactText } from '@muster/redaction';
import { type Config, type Setting, settings } from '../../foundation/settings/config.ts';
import type { DatabaseDescription } from './check-database-sqlite.ts';
import type { Finding } from './finding.ts';

export interface SupportContent {
  readonly createdAt: string;
  readonly version: string;
  readonly config: Config;
  /** The settings as they were given, by variable. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly findings: readonly Finding[];
  readonly database: DatabaseDescription | undefined;
  /** Of the running service. */
  readonly metrics: string | undefined;
}

/** Writes what somebody else needs to help, without secrets and without rows of the database, as JSON that only its owner can read. */
export function writeSupportFile(file: string, content: SupportContent): void {
  const { config, env, ...rest } = content;
  const known = secretsOf(config, env);
  const described = {
    ...rest,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    settings: describeSettings(env),
    metrics: rest.metrics?.split('\n').filter((line) => !line.startsWith('#')),
  };
  const text = JSON.stringify(
    described,
    (_, value: unknown) => (typeof value === 'string' ? withoutSecrets(value, known) : value),
    2,
  );
  rmSync(file, { force: true });
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeSync(handle, `${text}\n`);
  } finally {
    closeSync(handle);
  }
}

function describeSettings(env: SupportContent['env']): Record<string, string> {
  return Object.fromEntries(
    Object.values<Setting>(settings)
      .filter(({ variable }) => (env[variable] ?? '') !== '')
      .map(({ variable, type }) => [variable, type.secret === true ? '[secret]' : (env[variable] ?? '')]),
  );
}

/** Every value that is secret by its setting, and the passwords of databases alone. */
function secretsOf({ databaseUrl = '', readDatabaseUrl = '' }: Config, env: SupportContent['env']): string[] {
  const ofSettings = Object.values<Setting>(settings)
    .filter(({ type }) => type.secret === true)
    .map(({ variable }) => env[variable] ?? '');
  const ofDatabases = [databaseUrl, readDatabaseUrl].flatMap((url) => {
    const password = /^[^:]+:\/\/[^/?#]*?:([^/?#]*)@/.exec(url)?.[1] ?? '';
    return [url, password, decode(password)];
  });
  return [...ofSettings, ...ofDatabases].filter((value) => value.length > 3);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withoutSecrets(text: string, known: readonly string[]): string {
  return redactText(known.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text));
}
