import { type Access, openAccess, requireServer } from './access.ts';
import { AgentClient } from './agent-client.ts';
import { isRefusal } from './demo-error.ts';
import { countOf, Display, formatCount } from './display.ts';
import { Fleet } from './fleet.ts';
import type { Options } from './options.ts';
import { createPace } from './pace.ts';
import { createServedFleet } from './served-fleet.ts';
import { Statistics } from './statistics.ts';
import { type Stage, story } from './story.ts';
import { summarize } from './summary.ts';

const interruptedExitCode = 130;
/** One Ctrl-C may arrive twice: from the terminal and from npm. */
const sameInterruptMilliseconds = 500;

/** Simulates a fleet with a bad release that its hosts write and Muster stops, its fix and a regression. Returns the exit code. */
export async function runDemo(options: Options): Promise<number> {
  const display = new Display(options.output, process.env);
  try {
    const signal = abortOnInterrupt(display);
    await run(options, display, signal);
    return signal.aborted ? interruptedExitCode : 0;
  } catch (error) {
    if (isInterruption(error)) return interruptedExitCode;
    display.clearBar();
    throw error;
  }
}

async function run(options: Options, display: Display, signal: AbortSignal): Promise<void> {
  const client = new AgentClient(options.url);
  await requireServer(client, options.url);
  const access = await openAccess(options, signal);
  const statistics = new Statistics();
  const fleet = new Fleet(options.agents, { client, access, statistics, signal });

  describePlan(options, access, display);
  const all = countOf(options.agents, 'agent');
  const created = await createServedFleet(access, signal);
  const served = 'id' in created ? created : undefined;
  if ('refused' in created) display.line(`No agent gets its configuration from Muster: ${created.refused}`);
  await fleet.register(served, (done) =>
    display.progress('Registering', done / options.agents, `${formatCount(done)} of ${all}`),
  );
  display.done('Registered', countOf(fleet.registered.length, 'agent'));

  const pace = createPace(options, story.length);
  const failure = await tellStory({ access, fleet, served, statistics, display, pace, signal }).catch(
    keepRefusal,
  );
  pace.close();

  await fleet.end();
  display.line();
  for (const line of summarize({ access, statistics, agents: fleet.registered.length })) display.line(line);
  if (failure !== undefined) throw failure;
}

async function tellStory(stage: Stage): Promise<undefined> {
  for (const act of story) {
    if (!stage.signal.aborted) await act(stage);
  }
}

/** After an interruption or a refusal there is still a summary. */
function keepRefusal(error: unknown): Error | undefined {
  if (isRefusal(error)) return error;
  if (isInterruption(error)) return undefined;
  throw error;
}

function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function describePlan({ agents, url }: Options, access: Access, display: Display): void {
  const project =
    access.projectName === undefined ? 'the project of the token' : `the new project '${access.projectName}'`;
  display.line(
    `${countOf(agents, 'simulated agent')} ${agents === 1 ? 'reports' : 'report'} to ${url.href.replace(/\/$/, '')}, in ${project}.`,
  );
}

/** The first Ctrl-C ends the story and prints the summary; a second one stops at once. */
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
