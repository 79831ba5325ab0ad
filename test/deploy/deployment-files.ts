import { settings } from '@muster/server/config';
import { parse } from 'yaml';
import { readSource } from '../architecture/source-files.ts';

/** The variables of every setting. */
export const variables: readonly string[] = Object.values(settings).map(({ variable }) => variable);

/** The settings that the chart itself sets, and the secret ones. All others go through `settings` of its values. */
export const setByChart: readonly string[] = [
  'HOST',
  'PORT',
  'MUSTER_DATA_DIR',
  'DATABASE_URL',
  'MUSTER_READ_DATABASE_URL',
  'MUSTER_ADMIN_TOKEN',
  'MUSTER_METRICS_TOKEN',
  'MUSTER_OIDC_CLIENT_SECRET',
  'MUSTER_TLS_CERT',
  'MUSTER_TLS_KEY',
  'MUSTER_SECRET_KEY',
  'MUSTER_SMTP_URL',
  'MUSTER_PROVISION_FILE',
  'MUSTER_BACKUP_DIR',
];

/** Maximum duration of a stop: server/src/app/main.ts. */
export const maxStopSeconds = 9;

interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
  readonly depends_on?: unknown;
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

export function readCompose(): Compose {
  return parse(readSource('deploy/docker-compose.yml'), { merge: true }) as Compose; // as the tests then check
}

/** Default settings of an image, by their variables. */
export function readImageSettings(): Record<string, string> {
  const image =
    readSource('deploy/Dockerfile')
      .split(/^FROM /m)
      .at(-1) ?? '';
  const [, lines = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(image) ?? [];
  const pairs = [...lines.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]);
  return Object.fromEntries(pairs);
}

/** Paths of a tree's leaves; an empty map or list is one. */
export function leavesOf(tree: unknown, path = ''): string[] {
  const isMap = typeof tree === 'object' && tree !== null && !Array.isArray(tree);
  const entries = isMap ? Object.entries(tree) : [];
  if (entries.length === 0) return [path];
  return entries.flatMap(([name, below]) => leavesOf(below, path === '' ? name : `${path}.${name}`));
}
