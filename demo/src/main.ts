import { type Access, openAccess, requireServer } from './access.ts';
import { Client } from './client.ts';
import { DemoError } from './demo-error.ts';
import { countOf, Display, formatCount } from './display.ts';
import { readFaults } from './faults.ts';
import { Fleet } from './fleet.ts';
import { help, type Options, readOptions } from './options.ts';
import { Statistics } from './statistics.ts';
import { summarize } from './summary.ts';
import { surveyFleet } from './survey.ts';

const interruptedExitCode = 130;
/** One Ctrl-C may arrive twice: from the terminal and from npm. */
const sameInterruptMilliseconds = 500;

process.exitCode = await main();

async function main(): Promise<number> {
  const display = new Display(process.stdout, process.env);
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (options === undefined) {
      process.stdout.write(help);
      return 0;
    }
    const signal = abortOnInterrupt(display);
    await run(options, display, signal);
    return signal.aborted ? interruptedExitCode : 0;
  } catch (error) {
    if (isInterruption(error)) return interruptedExitCode;
    if (!(error instanceof DemoError)) throw error;
    display.clearBar();
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
}

async function run(options: Options, display: Display, signal: AbortSignal): Promise<void> {
  const client = new Client(options.url);
  await requireServer(client, options.url);
  const access = await openAccess(client, options, process.env.MUSTER_DATA_DIR || 'data', signal);
  const statistics = new Statistics();
  const fleet = new Fleet({ client, access, faults: readFaults(), statistics, signal });

  describePlan(options, access, display);
  await fleet.register(options.agents, (done) =>
    display.progress(
      'Registering',
      done / options.agents,
      `${formatCount(done)} of ${countOf(options.agents, 'agent')}`,
    ),
  );
  display.done('Registered', countOf(fleet.ids.size, 'agent'));

  const failure = await simulateRollout(options, fleet, statistics, display, signal).catch(keepDemoError);

  const survey = await surveyFleet(client, access, fleet.ids);
  const { url } = options;
  const counts = { agents: fleet.ids.size, fixed: fleet.fixed };
  display.line();
  for (const line of summarize({ url, access, statistics, survey, ...counts })) display.line(line);
  if (failure !== undefined) throw failure;
}

/** After an interruption or a DemoError there is still a summary. */
function keepDemoError(error: unknown): DemoError | undefined {
  if (error instanceof DemoError) return error;
  if (isInterruption(error)) return undefined;
  throw error;
}

function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** All agents report; halfway through, some are fixed and the others continue. */
async function simulateRollout(
  { agents, durationSeconds, fixed }: Options,
  fleet: Fleet,
  statistics: Statistics,
  display: Display,
  signal: AbortSignal,
): Promise<undefined> {
  const reportFor = (seconds: number) =>
    fleet.report(Date.now() + seconds * 1000, () => {
      const { sent, stored, ignored, refusedInAll } = statistics;
      const refused = refusedInAll === 0 ? '' : `, ${formatCount(refusedInAll)} refused`;
      const counts = `${formatCount(stored)} stored, ${formatCount(ignored)} ignored${refused}`;
      display.progress(
        'Reporting',
        statistics.seconds / durationSeconds,
        `${formatCount(sent)} sent, ${counts}`,
      );
    });

  await reportFor(durationSeconds / 2);
  display.done(
    'Reported',
    `${countOf(statistics.sent, 'time')}, of which ${formatCount(statistics.stored)} stored`,
  );
  const toFix = Math.round(agents * fixed);
  if (!signal.aborted && toFix > 0) {
    await fleet.fix(toFix, (done) =>
      display.progress('Fixing', done / toFix, `${formatCount(done)} of ${countOf(toFix, 'agent')}`),
    );
    display.done('Fixed', `${countOf(fleet.fixed, 'agent')} got a working configuration and are silent`);
  }
  await reportFor(durationSeconds / 2);
}

function describePlan({ agents, durationSeconds, url }: Options, access: Access, display: Display): void {
  const project =
    access.projectName === undefined ? 'the project of the token' : `its own project '${access.projectName}'`;
  display.line(
    `A new configuration reaches ${countOf(agents, 'agent')} and breaks them all. For ${countOf(durationSeconds, 'second')}`,
  );
  display.line(`each of them reports it once a second to ${url.href.replace(/\/$/, '')}, in ${project}.`);
  display.line();
}

/** The first Ctrl-C ends the reports and prints the summary; a second one stops at once. */
function abortOnInterrupt(display: Display): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  const interrupt = (): void => {
    if (!controller.signal.aborted) {
      first = Date.now();
      controller.abort();
      display.line('Stopping once the current requests are answered. Press Ctrl-C again to stop at once.');
    } else if (Date.now() - first > sameInterruptMilliseconds) {
      process.exit(interruptedExitCode);
    }
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return controller.signal;
}
