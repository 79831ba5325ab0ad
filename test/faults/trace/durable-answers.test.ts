import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveMuster } from '../../../server/src/testing/muster-process.ts';
import { faultSettings } from '../fault-settings.ts';
import type { Verdict } from './check-answers.ts';
import { readTrace } from './read-trace.ts';
import { readWholeTrace, traceCalls, whyNoStrace } from './strace.ts';
import { traceCreations } from './trace-creations.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const load = { reports: 80, connections: 8 };
/** A project, a token, an agent, and one for each connection. */
const creations = load.reports + load.connections + 3;

const reason = whyNoStrace();
if (reason !== undefined) process.stderr.write(`Skipped, the proof by system calls: ${reason}.\n`);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-trace-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(reason !== undefined)('the system calls of a service that is asked to create', () => {
  it('show that each 201 is sent after the sync of the log with its rows', async () => {
    const { verdicts, createdReports } = await traceCreations({ folder, ...load });
    expect(tally(verdicts)).toEqual({ durable: creations });
    expect(createdReports).toBe(load.reports);
  });

  it('show a violation if the log is never synced', async () => {
    const command = makeUnsyncedCommand();
    try {
      const { verdicts, createdReports } = await traceCreations({ folder, ...load, command });
      expect(tally(verdicts)).toEqual({ unsynced: creations });
      expect(createdReports).toBe(load.reports);
    } finally {
      rmSync(join(command, '../..'), { recursive: true });
    }
  });
});

describe.skipIf(reason !== undefined)('the system calls of a service that starts after a kill', () => {
  it('show that the remaining log is rewritten and synced before the service is ready', async () => {
    const env = {
      ...faultSettings,
      MUSTER_DATA_DIR: join(folder, 'data'),
      MUSTER_ADMIN_TOKEN: randomBytes(32).toString('hex'),
    };
    const killed = serveMuster({ env });
    await killed.ready();
    await killed.end('SIGKILL');
    const left = statSync(join(folder, 'data/muster.db-wal')).size;
    expect(left).toBeGreaterThan(4096);
    const trace = join(folder, 'trace');
    const service = serveMuster({
      env,
      wrapper: traceCalls(trace, ['pwrite64', 'write', 'fsync', 'fdatasync']),
    });
    await service.ready();
    await service.end('SIGTERM');
    const calls = readTrace(await readWholeTrace(trace, service.pid));
    const ofLog = calls.filter(({ target }) => target.endsWith('-wal'));
    const synced = ofLog.findIndex(({ name, result }) => /^f(data)?sync$/.test(name) && result === 0);
    const written = ofLog.slice(0, synced).reduce((sum, { result = 0 }) => sum + result, 0);
    expect(written).toBe(left);
    const ready = calls.find(({ data }) => data.startsWith('Muster is ready'));
    expect(ofLog[synced]?.ended).toBeLessThan(ready?.began ?? 0);
  });
});

/** The built service, with its database set not to sync. It lies where it finds its packages. */
function makeUnsyncedCommand(): string {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const copy = mkdtempSync(join(cache, 'muster-unsynced-'));
  cpSync(join(root, 'cli/package.json'), join(copy, 'package.json'));
  cpSync(join(root, 'cli/dist'), join(copy, 'dist'), { recursive: true });
  const worker = join(copy, 'dist/sqlite-worker.mjs');
  const built = readFileSync(worker, 'utf8');
  const doctored = built
    .replace('PRAGMA synchronous = FULL', 'PRAGMA synchronous = OFF')
    .replace(/expectPragma\((["'])synchronous\1, 2\)/, 'expectPragma("synchronous", 0)');
  writeFileSync(worker, doctored);
  return join(copy, 'dist/muster.mjs');
}

function tally(verdicts: readonly Verdict[]): Partial<Record<Verdict, number>> {
  const counts: Partial<Record<Verdict, number>> = {};
  for (const verdict of verdicts) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
