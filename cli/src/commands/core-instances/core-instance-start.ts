import { hostname } from 'node:os';
import type { StateError } from '@muster/core-instance';
import type { Command } from 'commander';
import { addLocalCommand, collect } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { tokenFileReader } from '../../connection/read-token-file.ts';
import { isInClear, readServerUrl } from '../../connection/server-url.ts';
import type { Failure } from '../../exit-codes.ts';
import { readTextFile } from '../../read-text-file.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readVersion } from '../../version.ts';
import { createSiteLog } from './create-site-log.ts';
import { readKeyPins } from './key-pins.ts';
import { defaultSitePort, readSiteAddress } from './site-address.ts';

interface StartFlags {
  readonly url?: string;
  readonly movedFrom?: string;
  readonly tokenFile?: string;
  readonly name?: string;
  readonly stateDirectory?: string;
  readonly listen: string;
  readonly caFile?: string;
  readonly pin?: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly clientCa?: string;
}

/** `muster core-instance start`: runs a core instance until it is stopped. */
export function addCoreInstanceStartCommand(parent: Command, terminal: Terminal): void {
  addLocalCommand(parent, 'start', {
    summary: 'Run a core instance.',
    description:
      'Runs a core instance in the foreground, such as in a container, or to try it. To run it as a service of a Linux host, use muster core-instance install. A core instance takes everything that the agents of a site send, answers within milliseconds, keeps it on its disk until Muster has it, and needs one outgoing connection. Agents change one thing: the address. At its first start it joins with a project token that has create:core_instance; after that it has a credential of its own, and the project token may be revoked. HTTPS_PROXY, HTTP_PROXY and NO_PROXY are followed. The certificate of Muster is always verified; with --pin, its key too.',
    examples: [
      'muster core-instance start --url https://muster.example.com --token-file join.token --name plant-7',
      'muster core-instance start --url https://muster.example.com --listen 0.0.0.0:7410 --tls-cert site.crt --tls-key site.key',
    ],
  })
    .option('--url <url>', 'Address of Muster. (else MUSTER_URL)')
    .option(
      '--moved-from <url>',
      'Address of Muster before the project has moved to --url. (else MUSTER_MOVED_FROM)',
    )
    .option(
      '--token-file <file>',
      'File that holds the project token with which it joins. (else the token in MUSTER_TOKEN)',
    )
    .option('--name <name>', 'Its name in Muster. (default: the name of the host)')
    .option(
      '--state-directory <directory>',
      'Directory for its identity and what waits. (else STATE_DIRECTORY)',
    )
    .option('--listen <address>', 'Where agents reach it: HOST:PORT.', `127.0.0.1:${defaultSitePort}`)
    .option('--ca-file <file>', 'Certificate of the authority of Muster, in PEM, if it is your own.')
    .option(
      '--pin <pin>',
      'Key that the certificate of Muster must have, as sha256//BASE64; may be repeated. (else MUSTER_PIN)',
      collect,
    )
    .option('--tls-cert <file>', 'Certificate with which agents are served, in PEM. Read again on SIGHUP.')
    .option('--tls-key <file>', 'Its private key, in PEM.')
    .option('--client-ca <file>', 'Agents need a certificate of this authority, in PEM.')
    .action((flags: StartFlags) => start(flags, terminal));
}

async function start(flags: StartFlags, terminal: Terminal): Promise<void> {
  const { env } = terminal;
  const url = requireUrl(flags.url ?? env.MUSTER_URL);
  const movedFrom = flags.movedFrom ?? (env.MUSTER_MOVED_FROM || undefined);
  const stateDirectory = flags.stateDirectory ?? env.STATE_DIRECTORY?.split(':', 1)[0];
  if (!stateDirectory) {
    throw new CommandError(
      'usage',
      'It needs --state-directory, the folder in which it keeps what waits for Muster.',
    );
  }
  if ((flags.tlsCert === undefined) !== (flags.tlsKey === undefined)) {
    throw new CommandError('usage', '--tls-cert and --tls-key go together.');
  }
  if (flags.clientCa !== undefined && flags.tlsCert === undefined) {
    throw new CommandError(
      'usage',
      '--client-ca needs --tls-cert and --tls-key: without TLS there are no certificates.',
    );
  }
  const { host, port } = readSiteAddress(flags.listen);
  const pins = readPins(flags, env.MUSTER_PIN, url);
  const log = createSiteLog(terminal);
  if (isInClear(url)) log.warn(`${url} is not encrypted: anybody on the way can read what is sent.`);
  const authorities = flags.caFile === undefined ? undefined : await readTextFile(terminal, flags.caFile);
  // Loaded here, so that help and mistyped commands do not load it.
  const { openSiteCertificate, StateError, startCoreInstance } = await import('@muster/core-instance');
  try {
    const { tlsCert, tlsKey } = flags;
    const tls =
      tlsCert === undefined || tlsKey === undefined
        ? undefined
        : await openSiteCertificate({
            certFile: tlsCert,
            keyFile: tlsKey,
            clientAuthorityFile: flags.clientCa,
            log,
          });
    const site = await startCoreInstance({
      url: new URL(url),
      movedFrom: movedFrom === undefined ? undefined : new URL(readServerUrl(movedFrom, '--moved-from')),
      stateDirectory,
      host,
      port,
      name: (flags.name ?? hostname()) || undefined,
      version: readVersion(),
      readProjectToken: createTokenReader(flags.tokenFile, env.MUSTER_TOKEN, StateError),
      authorities,
      pins,
      tls,
      env,
      log,
    });
    const stopped = waitForStop();
    if (tls !== undefined) process.on('SIGHUP', () => void tls.reload());
    log.info(`Agents are served at ${tls === undefined ? 'http' : 'https'}://${host}:${site.port}.`, { url });
    const failure = await Promise.race([stopped, site.failed]);
    await site.stop();
    if (failure !== undefined) throw failure;
    log.info('Stopped. What waits is kept in the state folder.');
  } catch (error) {
    throw error instanceof StateError ? new CommandError(failureOf(error), error.message) : error;
  }
}

function failureOf({ refusal }: StateError): Failure {
  if (refusal === 'unauthorized') return 'notSignedIn';
  return refusal === 'forbidden' ? 'forbidden' : 'failed';
}

function requireUrl(text: string | undefined): string {
  if (!text) throw new CommandError('usage', 'It needs --url, the address of Muster.');
  return readServerUrl(text, '--url');
}

function readPins({ pin }: StartFlags, variable: string | undefined, url: string): readonly string[] {
  if (pin !== undefined) return readKeyPins(pin.join(';'), '--pin', url);
  return variable ? readKeyPins(variable, 'MUSTER_PIN', url) : [];
}

function createTokenReader(
  file: string | undefined,
  token: string | undefined,
  StateError: new (message: string, options?: ErrorOptions) => Error,
): () => Promise<string | undefined> {
  if (file === undefined) return async () => token || undefined;
  const read = tokenFileReader(file);
  return async () => {
    try {
      return (await read()) || undefined;
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new StateError(
        `${message}. This core instance has not joined yet, and needs a project token to do so.`,
        { cause },
      );
    }
  };
}

/** Resolves with the first signal that asks for an end. */
function waitForStop(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(undefined));
  });
}
