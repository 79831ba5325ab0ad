import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** In a checkout. */
export const builtCommand = 'cli/dist/muster.mjs';

export interface Options {
  readonly rounds: number;
  readonly seconds: number;
  /** Names of cases, or prefixes of names; empty: all. */
  readonly cases: readonly string[];
  /** Another checkout, which is built. */
  readonly against: string | undefined;
  readonly isQuick: boolean;
  readonly isProfiled: boolean;
  /** Undefined: only printed. */
  readonly resultsFile: string | undefined;
  /** Errors of the large data set, of the one for comparison, and of the one for memory. */
  readonly errors: number;
  readonly fewErrors: number;
  readonly memoryErrors: number;
  /** Agents of a data set. */
  readonly agents: number;
  /** Agents that report under load. */
  readonly loadAgents: number;
  readonly connections: number;
  /** Opened and closed one after the other, to find leaks. */
  readonly soakedConnections: number;
  readonly limitMinutes: number;
}

/** A mistake of the caller. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const defaults = {
  full: {
    rounds: 5,
    seconds: 4,
    errors: 10_000_000,
    fewErrors: 10_000,
    agents: 100_000,
    loadAgents: 1_000,
    soakedConnections: 500_000,
  },
  quick: {
    rounds: 1,
    seconds: 1,
    errors: 20_000,
    fewErrors: 5_000,
    agents: 1_000,
    loadAgents: 50,
    soakedConnections: 10_000,
  },
};

export const optionsHelp = `  --case NAME      only this case, or those that begin so; may be given several times
  --against DIR    compare this checkout with another one, which is built, in the cases 'against-…' alone
  --rounds N       rounds, in which the contenders take turns (5)
  --seconds N      how long one of them is under load in a round; may be a fraction (4)
  --connections N  open connections that send the load (64)
  --errors N       errors of the large data set (10000000)
  --agents N       agents of the data sets (100000)
  --quick          one round of a second, with small data sets: shows that it works, and nothing else
  --profile        also print in which functions the service spends its time
  --results FILE   write the table there (a full run with all cases: bench/RESULTS.md)
  --limit MINUTES  end after this time, whatever is left to do (120)
  --help           this text
`;

/** Undefined if help was requested. @throws UsageError */
export function readOptions(args: readonly string[], caseNames: readonly string[]): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const isQuick = values.quick ?? false;
  const isProfiled = values.profile ?? false;
  const preset = isQuick ? defaults.quick : defaults.full;
  const cases = values.case ?? [];
  for (const name of cases) {
    if (!caseNames.some((known) => known.startsWith(name)))
      throw new UsageError(`There is no case '${name}'. Cases: ${caseNames.join(', ')}.`);
  }
  const { against } = values;
  if (against === undefined && cases.length > 0 && cases.every(comparesCheckouts))
    throw new UsageError(`${cases.join(' and ')} needs another checkout: --against DIR`);
  const errors = readNumber('--errors', values.errors, preset.errors);
  return {
    cases,
    against: against === undefined ? undefined : requireBuilt(against),
    isQuick,
    isProfiled,
    rounds: readNumber('--rounds', values.rounds, preset.rounds),
    seconds: readNumber('--seconds', values.seconds, preset.seconds, { least: 0.1 }),
    errors,
    fewErrors: Math.min(preset.fewErrors, errors),
    memoryErrors: Math.min(1_000_000, errors),
    agents: readNumber('--agents', values.agents, preset.agents, { least: 20 }),
    loadAgents: preset.loadAgents,
    connections: readNumber('--connections', values.connections, 64),
    soakedConnections: preset.soakedConnections,
    limitMinutes: readNumber('--limit', values.limit, 120),
    resultsFile:
      values.results ??
      (isQuick || isProfiled || cases.length > 0 || against !== undefined ? undefined : 'bench/RESULTS.md'),
  };
}

/** Cases that only run with `--against`, and then alone. */
export function comparesCheckouts(caseName: string): boolean {
  return caseName.startsWith('against');
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        case: { type: 'string', multiple: true },
        against: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        connections: { type: 'string' },
        errors: { type: 'string' },
        agents: { type: 'string' },
        quick: { type: 'boolean' },
        profile: { type: 'boolean' },
        results: { type: 'string' },
        limit: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The checkout, if there is one and it is built. */
function requireBuilt(directory: string): string {
  if (existsSync(join(directory, builtCommand))) return resolve(directory);
  throw new UsageError(
    `--against is '${directory}', where no ${builtCommand} is. Build that checkout: npm ci && node scripts/build.mjs`,
  );
}

function readNumber(flag: string, text: string | undefined, preset: number, { least = 1 } = {}): number {
  if (text === undefined) return preset;
  const value = Number(text);
  const isWhole = least < 1 || Number.isInteger(value);
  if (/^[\d.]+$/.test(text) && value >= least && isWhole) return value;
  throw new UsageError(
    `${flag} is '${text}', but takes a ${least < 1 ? '' : 'whole '}number from ${least} on.`,
  );
}
