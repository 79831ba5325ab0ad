import { once } from 'node:events';
import { readProjectToken } from '@muster/contract';
import { describeAgent, digest } from './describe-agent.ts';
import type { FailureContext } from './explain-failure.ts';
import type { FoundService, ReportOptions } from './report-options.ts';
import { connectService } from './sending/connect-service.ts';
import { type Goodbye, Heartbeats } from './sending/heartbeats.ts';
import type { Outbox } from './sending/outbox.ts';
import { Registrar } from './sending/registrar.ts';
import type { ServiceFailure } from './sending/report-service.ts';
import { Sender } from './sending/sender.ts';
import { AgentRecordFile } from './state/agent-record.ts';
import { claimLeftovers, type Leftovers } from './state/claim-leftovers.ts';
import { findMachineID } from './state/machine-id.ts';
import { Spool } from './state/spool.ts';
import { thisProcess } from './state/spool-owner.ts';

export interface SendingOptions {
  readonly options: ReportOptions;
  readonly type: string;
  readonly configFiles: readonly string[];
  readonly outbox: Outbox;
  readonly version: () => string | undefined;
  readonly tell: (message: string) => void;
  /** Aborted when the agent has ended: then nothing is retried. */
  readonly ending: AbortSignal;
  readonly onFailure: (failure: ServiceFailure, context: FailureContext) => void;
  readonly onSent: () => void;
}

/** Sends errors to the service, and keeps them on disk until then. */
export interface Sending {
  /** The directory in which errors are kept; undefined when they cannot be kept. */
  readonly keptIn: string | undefined;
  add(text: string): void;
  register(): void;
  /** Reads the configuration again, and sends it if it has changed. Resolves to whether it has. */
  reload(): Promise<boolean>;
  /** Sends the remaining errors once more, says how the agent ended, and ends. Does not reject. */
  finish(milliseconds: number, goodbye: Goodbye): Promise<void>;
  giveUp(): void;
}

/** Undefined when nothing can be sent, because the server or the token is missing; a message says so. */
export async function startSending(given: SendingOptions): Promise<Sending | undefined> {
  const { options, type, outbox, tell } = given;
  const { stateDirectory, userAgent } = options;
  const found = await findServiceOrTell(given);
  if (found === undefined) return undefined;
  const { url, readToken } = found;
  const machineID =
    options.machineID ?? (await findMachineID({ instance: options.instance ?? type, stateDirectory }));
  const description = { options, type, configFiles: given.configFiles, machineID, tell };
  let agent = await describeAgent(description);
  const token = await waitForToken(readToken, given);
  if (token === undefined) return undefined;
  const { key, formerKey } = keysOf({ url, token, machineID });
  let canKeep = true;
  const onUnwritable = (error: unknown) => {
    canKeep = false;
    const why = error instanceof Error ? error.message : String(error);
    tell(
      `cannot keep errors in ${stateDirectory}: ${why}. Errors are lost while Muster is away. Choose another directory with --state-dir.`,
    );
  };
  const owner = await thisProcess();
  const spool = new Spool({
    directory: stateDirectory,
    key,
    owner,
    pending: () => outbox.pending,
    onFailure: onUnwritable,
  });
  outbox.keepIn(spool);
  const leftovers = await takeLeftovers(given, spool, [key, formerKey]);
  const service = connectService({ url, readToken, userAgent });
  const records = new AgentRecordFile(stateDirectory, key);
  await records.takeOver(formerKey);
  const registrar = new Registrar({
    service,
    agent: () => agent,
    version: given.version,
    records,
    onRecordLost: onUnwritable,
    onRenamed: (from, to) => tell(options.printable(renamed(from, to))),
  });
  const heartbeats = new Heartbeats({
    service,
    registrar,
    onUnknown: () => sender.register(),
    every,
  });
  const discardSent = async () => {
    if (outbox.pending.length === 0) await leftovers.discard();
  };
  const keptIn = () => (canKeep ? stateDirectory : undefined);
  const sender: Sender = new Sender({
    outbox,
    service,
    registrar,
    configDigest: () => agent.configDigest,
    random: Math.random,
    // Then it is known whether errors can be kept.
    onFailure: (failure) =>
      void spool.settle().then(() => given.onFailure(failure, { url, keptIn: keptIn() })),
    onRegistered: () => heartbeats.begin(),
    onSent() {
      void discardSent();
      given.onSent();
    },
  });
  return {
    get keptIn() {
      return keptIn();
    },
    add(text) {
      outbox.add({ text, configDigest: agent.configDigest });
      sender.notify();
    },
    register: () => sender.register(),
    async reload() {
      const reread = await describeAgent(description);
      if (reread.body.rawConfig === undefined || reread.digest === agent.digest) return false;
      agent = reread;
      sender.register();
      return true;
    },
    async finish(milliseconds, goodbye) {
      const started = performance.now();
      await sender.drain(milliseconds);
      // After the errors: what is heard of an agent later says that it runs.
      await heartbeats.end(goodbye, milliseconds - (performance.now() - started));
      // At least a second for a slow disk, even if the network has taken all the time.
      const rest = Math.max(1_000, milliseconds - (performance.now() - started));
      await Promise.race([Promise.all([spool.close(), registrar.settle(), discardSent()]), wait(rest)]);
    },
    giveUp() {
      sender.giveUp();
      heartbeats.giveUp();
    },
  };
}

function renamed(from: string, to: string): string {
  return `renamed agent '${from}' to '${to}': agents of one type on one host are one agent. For a second one, add --instance.`;
}

/** Keeps no process alive. */
function every(milliseconds: number, work: () => void): () => void {
  const timer = setInterval(work, milliseconds).unref();
  return () => clearInterval(timer);
}

async function findServiceOrTell({ options, tell }: SendingOptions): Promise<FoundService | undefined> {
  try {
    return await options.findService();
  } catch (error) {
    tell(options.printable(`nothing is reported: ${messageOf(error)}`));
    for (const line of mendOf(error)) tell(options.printable(line));
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What to do about an error, as `ReportOptions.findService` says. */
function mendOf(error: unknown): string[] {
  if (!(error instanceof Error) || !('mend' in error) || typeof error.mend !== 'string') return [];
  return error.mend.split('\n');
}

async function takeLeftovers(
  { options, outbox }: SendingOptions,
  spool: Spool,
  keys: readonly [string, string],
): Promise<Leftovers> {
  const leftovers = await claimLeftovers(options.stateDirectory, keys, await thisProcess());
  const texts = new Map(leftovers.errors.map((error) => [`${error.configDigest} ${error.text}`, error]));
  if (texts.size > 0) outbox.addLeftovers([...texts.values()]);
  // Their files are removed only when the errors are in the spool of this process, or sent: the disk may be full.
  void spool.settle().then(() => (spool.keeps ? leftovers.discard() : undefined));
  return leftovers;
}

/**
 * The keys under which state is kept, and was kept by earlier versions. A project keeps its id at another address, and so
 * do its agents their tokens: what is kept goes with it.
 */
function keysOf({ url, token, machineID }: Record<'url' | 'token' | 'machineID', string>) {
  const projectID = readProjectToken(token)?.projectID;
  const formerKey = digest(url, projectID ?? digest(token), machineID).slice(0, 24);
  return { key: projectID === undefined ? formerKey : digest(projectID, machineID).slice(0, 24), formerKey };
}

/** State is kept by project, so errors wait until there is a token. Undefined when there was none until the end. */
async function waitForToken(
  readToken: () => Promise<string>,
  { options: { printable }, tell, ending }: SendingOptions,
): Promise<string | undefined> {
  for (;;) {
    try {
      return await readToken();
    } catch (error) {
      const why = messageOf(error).replace(/\.$/, '');
      tell(printable(`no token to report with: ${why}. It is tried again every 30 s.`));
      for (const line of mendOf(error)) tell(printable(line));
      if (ending.aborted) return undefined;
      await Promise.race([wait(tokenRetryMilliseconds), once(ending, 'abort')]);
    }
  }
}

const tokenRetryMilliseconds = 30_000;

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
