import { parseArgs } from 'node:util';
import { DemoError } from './demo-error.ts';

export interface Options {
  readonly agents: number;
  readonly url: URL;
  /** Where the token came from; the commands that the demo prints take it from the same place. */
  readonly token: { readonly value: string; readonly source: 'flag' | 'variable' } | undefined;
  /** How long the demo takes; undefined: on a terminal, until its reader wants to go on. */
  readonly durationSeconds: number | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const defaultUrl = 'http://127.0.0.1:7400';
const usageExitCode = 2;

/** Where nobody can press Enter. */
export const defaultDurationSeconds = 60;

export const help = `Simulates a fleet with a bad rollout, its fix and a regression, against a running server.

  npm run demo -- [options]

  --agents N      how many agents, 1 to 100000 (5000)
  --duration S    go on by itself and end after S seconds, 1 to 3600 (on a terminal, Enter goes on;
                  elsewhere ${defaultDurationSeconds})
  --url URL       the server (MUSTER_URL, else ${defaultUrl})
  --token TOKEN   an access token, with which the demo makes a project of its own, or a project token
                  (MUSTER_TOKEN, else the file data/admin-token that the server has written on this host)
  --help          this text
`;

/** @returns undefined if help was requested. @throws DemoError that names the invalid option */
export function readOptions(args: readonly string[], env: Environment): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  return {
    agents: readNumber('--agents', values.agents ?? '5000', 1, 100_000, { isWhole: true }),
    url: readUrl(values.url ?? (env.MUSTER_URL || defaultUrl)),
    token: readToken(values.token, env.MUSTER_TOKEN),
    durationSeconds:
      values.duration === undefined ? undefined : readNumber('--duration', values.duration, 1, 3600),
  };
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        agents: { type: 'string' },
        url: { type: 'string' },
        token: { type: 'string' },
        duration: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    return values;
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error));
  }
}

function readNumber(flag: string, text: string, min: number, max: number, { isWhole = false } = {}): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  throw usageError(
    `${flag} is '${text}', but takes a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}.`,
  );
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return url;
  throw usageError(`--url is '${text}', but takes an address such as ${defaultUrl}.`);
}

function readToken(flag: string | undefined, variable: string | undefined): Options['token'] {
  if (flag !== undefined && flag !== '') return { value: flag, source: 'flag' };
  if (variable !== undefined && variable !== '') return { value: variable, source: 'variable' };
  return undefined;
}

function usageError(message: string): DemoError {
  return new DemoError(`${message}\nSee: npm run demo -- --help`, usageExitCode);
}
