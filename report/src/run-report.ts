import { isatty } from 'node:tty';
import { findLogFiles } from './log-files/find-log-files.ts';
import { LogFiles } from './log-files/log-files.ts';
import { type AgentEnd, endAs, endStalled } from './process/agent-end.ts';
import { type AgentKind, findAgentKind, findConfigFiles, type StreamName } from './process/agent-kind.ts';
import { keepOutputsBlocking } from './process/keep-outputs-blocking.ts';
import { Output, whenTaken } from './process/output.ts';
import { readTexts } from './process/read-config-files.ts';
import { type RunningAgent, runAgent } from './process/run-agent.ts';
import { takeSignals } from './process/signals.ts';
import type { ReportOptions } from './report-options.ts';
import { Reporting } from './reporting.ts';
import type { Goodbye } from './sending/heartbeats.ts';

/** The exit codes of shells for a program that cannot be run, and for one that does not exist. */
const notExecutable = 126;
const notFound = 127;

/** Runs an agent and reports its errors. Ends this process as the agent ends. */
export async function runReport(
  options: ReportOptions,
  command: string,
  args: readonly string[],
): Promise<void> {
  const kind = findAgentKind(command);
  let agent: RunningAgent | undefined;
  const outputs = {
    1: new Output({ fd: 1, onClosed: () => agent?.closeReader(1) }),
    2: new Output({ fd: 2, onClosed: () => agent?.closeReader(2) }),
  };
  keepOutputsBlocking(outputs);
  const streams = options.streams ?? defaultStreams(kind);
  const type = options.type ?? kind.type;
  const configFiles = options.configFiles ?? findConfigFiles(kind, args);
  const tell = (message: string) => outputs[2].tell(message);
  const reporting = new Reporting({
    options,
    type,
    dialect: kind.isKnown ? kind.type : type,
    configFiles,
    tell,
    print: options.dryRun ? (text) => outputs[2].tell(`would report: ${text}`) : undefined,
  });
  const watched = { 1: reporting.addStream('stdout'), 2: reporting.addStream('stderr') };
  const logFiles = new LogFiles({
    addStream: () => reporting.addStream('logFiles'),
    whenRead: () => reporting.whenRead(),
    streams,
    tell,
  });
  const followLogFiles = async () => {
    try {
      const configs = options.logFiles === undefined ? await readTexts(configFiles) : [];
      const sources = { kind: { ...kind, type }, args, configs, env: process.env };
      await logFiles.add(options.logFiles ?? (await findLogFiles(sources)));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      tell(
        options.printable(`cannot tell whether the agent logs to a file: ${why}. Name it with --log-file.`),
      );
    }
  };
  // Before the agent runs, so that its first lines are seen too.
  await followLogFiles();
  const forwarded = new Set<NodeJS.Signals>();
  let hasEnded = false;
  let isToldToEnd = false;
  const stopSignals = takeSignals({
    forward(signal) {
      if (hasEnded && endsProcess(signal)) reporting.giveUp();
      // An agent that runs takes SIGHUP as a request to read its configuration again.
      isToldToEnd ||= endsProcess(signal) && (hasEnded || signal !== 'SIGHUP');
      forwarded.add(signal);
      agent?.kill(signal);
      if (signal !== 'SIGHUP') return;
      reporting.reload();
      void followLogFiles();
    },
  });
  agent = runAgent({
    command,
    args,
    streams,
    outputs,
    onOutput: (fd, chunk) => watched[fd].push(chunk),
  });
  reporting.begin();
  let hasStarted = true;
  const end = await agent.ended.catch((error: NodeJS.ErrnoException): AgentEnd => {
    hasStarted = false;
    const isMissing = error.code === 'ENOENT';
    outputs[2].tell(`cannot run ${command}: ${isMissing ? 'there is no such program' : error.message}`);
    return { kind: 'exit', code: isMissing ? notFound : notExecutable };
  });
  hasEnded = true;
  outputs[2].endOfAgent();
  await logFiles.end();
  await reporting.endOfOutput(options.exitWaitSeconds * 1_000);
  if (hasStarted) addAbnormalEnd(reporting, end, { forwarded, isToldToEnd });
  await reporting.finish(options.exitWaitSeconds * 1_000, goodbyeOf(end, forwarded));
  const isTaken = await whenTaken([outputs[1], outputs[2]], () => isToldToEnd);
  stopSignals();
  if (isTaken) endAs(end);
  else endStalled(end);
}

/**
 * On a terminal, stdout is not read, so that interactive programs still work, unless the agent is known to log there.
 */
function defaultStreams({ streams, isKnown }: AgentKind): readonly StreamName[] {
  return isatty(1) && !isKnown ? ['stderr'] : streams;
}

function endsProcess(signal: NodeJS.Signals): boolean {
  return signal === 'SIGTERM' || signal === 'SIGINT' || signal === 'SIGHUP' || signal === 'SIGQUIT';
}

/** An agent that was told to end has not failed, whatever its exit code. */
function goodbyeOf(end: AgentEnd, forwarded: ReadonlySet<NodeJS.Signals>): Goodbye {
  if (end.kind === 'signal') return { signal: end.signal };
  const asked = (['SIGTERM', 'SIGINT'] as const).find((signal) => forwarded.has(signal));
  return { exitCode: end.code, ...(asked === undefined ? {} : { signal: asked }) };
}

/** The signals that came while the agent ran. */
interface Received {
  readonly forwarded: ReadonlySet<NodeJS.Signals>;
  readonly isToldToEnd: boolean;
}

/** Reports an agent that crashed, was killed because memory ran out, or failed without an error of a known form. */
function addAbnormalEnd(reporting: Reporting, end: AgentEnd, { forwarded, isToldToEnd }: Received): void {
  if (end.kind === 'signal') {
    if (!isAskedFor.has(end.signal) && !forwarded.has(end.signal)) {
      reporting.add(`[muster report] The agent was ended by ${end.signal}.`);
    }
  } else if (end.code !== 0 && !isToldToEnd) {
    reporting.addFailedExit(end.code);
  }
}

/** Signals that ask a process to end, or tell it that the reader of its output has closed it. */
const isAskedFor: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  'SIGQUIT',
  'SIGPIPE',
]);
