import { type AgentKind, flagValues } from '../process/agent-kind.ts';

export interface LogFileSources {
  readonly kind: Pick<AgentKind, 'type' | 'logFileFlags'>;
  /** The command line of the agent, without its program. */
  readonly args: readonly string[];
  /** What is in its configuration files. */
  readonly configs: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The files that an agent logs to instead of its outputs: those that its flags name, `log_file` in the SERVICE section
 * of Fluent Bit, `service::telemetry::logs::output_paths` of the OpenTelemetry Collector. Vector has no such setting.
 *
 * @throws Error when a configuration cannot be understood
 */
export async function findLogFiles({ kind, args, configs, env }: LogFileSources): Promise<string[]> {
  const found = flagValues(kind.logFileFlags, args);
  for (const config of configs) {
    if (kind.type === 'fluentbit') found.push(...(await readFluentBit(config, env)));
    if (kind.type === 'otelcol') found.push(...(await readCollector(config, env)));
  }
  return [...new Set(found)].filter((path) => path !== '');
}

type Env = LogFileSources['env'];

async function readFluentBit(config: string, env: Env): Promise<string[]> {
  if (!/log_file/i.test(config)) return [];
  return /^service[ \t]*:/im.test(config)
    ? readFluentBitYaml(config, env)
    : readFluentBitClassic(config, env);
}

/** `log_file PATH` in `[SERVICE]`; case does not matter. `@SET name=value` takes precedence over the environment. */
function readFluentBitClassic(config: string, env: Env): string[] {
  const variables: Record<string, string> = {};
  const found: string[] = [];
  let section = '';
  for (const line of config.split('\n')) {
    const text = line.trim();
    if (text.startsWith('[')) section = text.toLowerCase();
    const [, name, value] = /^@set\s+([^=\s]+)=(.*)$/i.exec(text) ?? [];
    if (name !== undefined && value !== undefined) variables[name] = value.trim();
    const [, path] = /^log_file\s+(\S.*)$/i.exec(text) ?? [];
    if (path !== undefined && section === '[service]') found.push(path);
  }
  return found.map((path) => expand(path, { ...env, ...variables }));
}

async function readFluentBitYaml(config: string, env: Env): Promise<string[]> {
  const service = await parseBlock(config, 'service');
  const variables = toRecord(await parseBlock(config, 'env'));
  const ofConfig = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, String(value)]),
  );
  return Object.entries(toRecord(service))
    .filter(([name, value]) => name.toLowerCase() === 'log_file' && typeof value === 'string')
    .map(([, path]) => expand(String(path), { ...env, ...ofConfig }));
}

async function readCollector(config: string, env: Env): Promise<string[]> {
  if (!config.includes('output_paths')) return [];
  const { telemetry } = toRecord(await parseBlock(config, 'service'));
  const { output_paths: paths } = toRecord(toRecord(telemetry).logs);
  const list: unknown[] = Array.isArray(paths) ? paths : [paths];
  return list
    .filter((path) => typeof path === 'string')
    .map((path) => expand(path, env).replace(/^file:(?:\/\/(?:localhost)?(?=\/))?/, ''))
    .map((path) => standardStreams[path] ?? path)
    .filter((path) => !/^[a-z]{2,}:/i.test(path));
}

const standardStreams: Readonly<Record<string, string>> = { stdout: '/dev/stdout', stderr: '/dev/stderr' };

/** Parses only one top-level block of a YAML file, because the agent does not start before. */
async function parseBlock(config: string, name: string): Promise<unknown> {
  const lines = config.split('\n');
  const start = new RegExp(`^${name}[ \\t]*:`, 'i');
  const first = lines.findIndex((line) => start.test(line));
  if (first < 0) return undefined;
  const next = lines.findIndex((line, index) => index > first && /^(?:[^\s#-]|---)/.test(line));
  const block = lines.slice(first, next < 0 ? undefined : next).join('\n');
  if (block.length > maxBlockLength) throw new Error(`its block '${name}' is longer than 64 KiB`);
  const { parse } = await import('yaml');
  // A pretty error would quote lines of the configuration, which may contain secrets.
  return Object.values(toRecord(parse(block, { prettyErrors: false })))[0];
}

const maxBlockLength = 65_536;

/** `${NAME}` of Fluent Bit, `${env:NAME}` and `${env:NAME:-default}` of the Collector. */
function expand(path: string, env: Env): string {
  return path.replace(
    /\$\{(?:env:)?([^}:]{1,256})(?::-([^}]{0,1024}))?\}/g,
    (_, name: string, otherwise = '') => env[name] ?? otherwise,
  );
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
