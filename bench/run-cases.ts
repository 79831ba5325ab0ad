import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Case } from './bench.ts';
import { cases } from './cases/index.ts';
import { createLoadGenerator } from './load/load.ts';
import { comparesCheckouts, type Options } from './options.ts';
import type { Closing } from './processes/closing.ts';
import { formatProfiles, readProfiles } from './profile/read-profiles.ts';
import { describeCommit, formatResults } from './report/results.ts';
import { type Row, verdictOf } from './report/row.ts';
import { formatTable } from './report/table.ts';
import { openPostgresHome } from './servers/postgres-home.ts';

interface Places {
  readonly closing: Closing;
  readonly scratchDirectory: string;
  readonly keptDirectory: string;
}

/** Runs the selected cases, prints their table and optionally writes it; returns true if a bar is missed. */
export async function runCases(options: Options, places: Places): Promise<boolean> {
  const load = createLoadGenerator(places.closing, places.scratchDirectory);
  // Opened before the cases, so that it is closed after them.
  const shared = places.closing.open();
  const run = {
    ...places,
    options,
    load,
    adminToken: randomBytes(32).toString('hex'),
    postgres: once(() => openPostgresHome(shared, places.keptDirectory)),
  };
  const commit = describeCommit();
  const rows: Row[] = [];
  const wanted = cases.filter(({ name }) => isWanted(name, options));
  for (const [index, one] of wanted.entries()) {
    rows.push(...(await runCase(one, run)));
    if (options.resultsFile === undefined) continue;
    // After each case, so that a run that is ended keeps what took it an hour.
    const missing = wanted.slice(index + 1).map(({ name }) => name);
    writeFileSync(
      options.resultsFile,
      formatResults(rows, { options, loadGenerator: load.name, commit, missing }),
    );
  }
  console.log(`\n${formatTable(rows)}\n`);
  if (options.resultsFile !== undefined) console.log(`written to ${options.resultsFile}`);
  return rows.some((row) => verdictOf(row) === 'FAIL');
}

/** Started at its first use and shared afterwards. */
function once<Result>(start: () => Promise<Result>): () => Promise<Result> {
  let started: Promise<Result> | undefined;
  return () => {
    started ??= start();
    return started;
  };
}

function isWanted(name: string, { cases: wanted, against }: Options): boolean {
  if (comparesCheckouts(name) !== (against !== undefined)) return false;
  return wanted.length === 0 || wanted.some((start) => name.startsWith(start));
}

/** A failed case becomes a row with the reason; the others still run. */
async function runCase(
  one: Case,
  run: Omit<Bench, 'closing' | 'say' | 'profileDirectory'> & Places,
): Promise<Row[]> {
  console.log(`\n${one.name}: ${one.title}`);
  const closing = run.closing.open();
  const profileDirectory = run.options.isProfiled
    ? mkdtempSync(join(run.scratchDirectory, 'profile-'))
    : undefined;
  try {
    const rows = await one.run({
      ...run,
      profileDirectory,
      closing,
      say: (line) => console.log(`  ${line}`),
    });
    // Profiles are written when their processes end.
    await closing.close();
    if (profileDirectory !== undefined) console.log(formatProfiles(readProfiles(profileDirectory)));
    return run.options.isQuick ? rows.map(withoutVerdict) : rows;
  } catch (error) {
    if (run.closing.isClosing) throw error;
    console.error(error);
    const failure = error instanceof Error ? error.message : String(error);
    return [{ case: one.name, what: one.title, figure: undefined, unit: '', measured: '', failure }];
  } finally {
    await closing.close();
  }
}

/** A quick run is too short for reliable results. */
function withoutVerdict(row: Row): Row {
  return row.bar === undefined ? row : { ...row, notJudged: 'a quick run' };
}
