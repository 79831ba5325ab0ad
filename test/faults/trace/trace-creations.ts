import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { serveMuster } from '../../../server/src/testing/muster-process.ts';
import { faultSettings } from '../fault-settings.ts';
import { checkAnswers, countCreatedReports, type Verdict } from './check-answers.ts';
import { createThings } from './create-things.ts';
import { readTrace } from './read-trace.ts';
import { readWholeTrace, traceCalls } from './strace.ts';

interface TraceOptions {
  /** Gets the trace and the data directory. */
  readonly folder: string;
  readonly reports: number;
  readonly connections: number;
  /** The program for Node to run; absent: the built `muster`. */
  readonly command?: string;
}

interface TraceFigures {
  /** Of a project, a token, an agent and the reports. */
  readonly verdicts: readonly Verdict[];
  /** Number of answers that acknowledge a new error. */
  readonly createdReports: number;
}

const names = ['pwrite64', 'pwritev', 'write', 'writev', 'sendto', 'sendmsg', 'fsync', 'fdatasync'];

/** Runs a service under strace, creates resources, and checks every answer against the calls around it. */
export async function traceCreations({
  folder,
  reports,
  connections,
  command,
}: TraceOptions): Promise<TraceFigures> {
  const trace = join(folder, 'trace');
  const adminToken = randomBytes(32).toString('hex');
  const service = serveMuster({
    env: { ...faultSettings, MUSTER_DATA_DIR: join(folder, 'data'), MUSTER_ADMIN_TOKEN: adminToken },
    wrapper: traceCalls(trace, names),
    ...(command === undefined ? {} : { program: [command] }),
  });
  const creations = await createThings(await service.ready(), adminToken, { reports, connections });
  await service.end('SIGTERM');
  const calls = readTrace(await readWholeTrace(trace, service.pid));
  return { verdicts: checkAnswers(calls, creations), createdReports: countCreatedReports(calls) };
}
