import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { dirname, join } from 'node:path';
import { quoteForShell } from '@muster/contract';
import { CommandError } from '../../command-error.ts';
import { writePrivateFile } from '../../profiles/private-file.ts';
import { SiteUnit, unitName } from './site-unit.ts';

export interface SiteSettings {
  /** Of the service. */
  readonly url: string;
  readonly name: string;
  /** Where agents reach it, as it was given and in parts. */
  readonly listen: { readonly text: string; readonly host: string; readonly port: number };
  /** Of keys of the service, as `sha256//BASE64`. Undefined: as they were set before. */
  readonly pins: readonly string[] | undefined;
  /** The project token with which it joins. Undefined: it has joined before. */
  readonly token: string | undefined;
}

/** The machine on which a core instance is installed. */
interface SiteHost {
  /** `/etc` */
  readonly settingsRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): number;
  wait(milliseconds: number): Promise<void>;
  note(text: string): void;
}

const maxWaitMilliseconds = 60_000;
const pollMilliseconds = 1_000;
/** A unit that has ended this often since it was started ends again. */
const maxRestarts = 2;

/**
 * Writes the settings of the unit, starts it, and waits until the service has answered it.
 *
 * @throws CommandError (as a rejection) that says why it does not run
 */
export async function installSite(settings: SiteSettings, host: SiteHost): Promise<void> {
  const unit = new SiteUnit(host.env);
  await unit.requireThere(commandWithoutUnit(settings));
  const folder = join(host.settingsRoot, 'muster');
  const settingsFile = join(folder, 'core-instance.env');
  const tokenFile = join(folder, 'core-instance.token');
  const dropIn = join(host.settingsRoot, `systemd/system/${unitName}.d/project-token.conf`);
  const text = changedSettings(await readIfThere(settingsFile), settings);
  // The unit runs as another user, who reads certificates in this folder.
  await writePrivateFile(settingsFile, text, { hasFilesForOthers: true });
  if (settings.token !== undefined) {
    await writePrivateFile(tokenFile, `${settings.token}\n`, { hasFilesForOthers: true });
    await mkdir(dirname(dropIn), { recursive: true });
    await writeFile(dropIn, `[Service]\nLoadCredential=project-token:${tokenFile}\n`);
    await unit.reload();
  }
  const startedAt = host.now();
  await unit.start();
  host.note(`Started ${unitName}. Waiting until ${settings.url} has answered it …`);
  const failure = await waitUntilHeard(settings, { flags: flagsIn(text), unit, host, startedAt });
  const hasTokenFile = (await readIfThere(tokenFile)) !== '';
  if (failure !== undefined) {
    throw new CommandError(
      'failed',
      failure,
      [
        ...explain(await unit.logSince(startedAt)),
        ...(hasTokenFile
          ? [
              `The project token stays in ${tokenFile} until it has joined. After that, run this command again with --joined, which deletes the token.`,
            ]
          : []),
        `To see the whole log: journalctl --unit ${unitName}`,
      ].join('\n'),
    );
  }
  if (!hasTokenFile) return;
  // It has a token of its own now: a copy of this one could only be stolen.
  await rm(tokenFile);
  await rm(dropIn, { force: true });
  // Unless it has other changes of the unit.
  await rmdir(dirname(dropIn)).catch(() => undefined);
  await unit.reload();
}

function commandWithoutUnit({ url, name, listen, pins = [], token }: SiteSettings): string {
  const [quotedURL, quotedName] = [quoteForShell(url), quoteForShell(name)];
  const further = [
    ...(token === undefined ? [] : ['--token-file FILE']),
    ...pins.map((pin) => `--pin ${quoteForShell(pin)}`),
  ];
  const command = `muster core-instance start --url ${quotedURL} --name ${quotedName} --listen ${quoteForShell(listen.text)} --state-directory FOLDER`;
  return [command, ...further].join(' ');
}

/** The lines of the file, with these settings in the place of earlier ones. */
function changedSettings(before: string, { url, name, listen, pins }: SiteSettings): string {
  const settings: Record<string, string> = {
    MUSTER_URL: url,
    MUSTER_CORE_INSTANCE_NAME: name,
    MUSTER_CORE_INSTANCE_LISTEN: listen.text,
    ...(pins === undefined ? {} : { MUSTER_PIN: pins.join(';') }),
  };
  const others = before
    .split('\n')
    .filter((line) => !Object.keys(settings).some((variable) => line.startsWith(`${variable}=`)));
  const lines = Object.entries(settings).map(([variable, value]) => `${variable}=${quoted(value)}`);
  return `${[...others.join('\n').trimEnd().split('\n'), ...lines].join('\n').trimStart()}\n`;
}

/** Comments in the file may name others. */
function flagsIn(text: string): string {
  return [...text.matchAll(/^MUSTER_CORE_INSTANCE_FLAGS=(.*)$/gm)].at(-1)?.[1] ?? '';
}

/** As systemd reads it in an environment file. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]*$/.test(value) ? value : `"${value.replaceAll(/["\\$`]/g, '\\$&')}"`;
}

interface StartedUnit {
  readonly unit: SiteUnit;
  /** What it is started with beside these settings. */
  readonly flags: string;
  readonly host: SiteHost;
  readonly startedAt: number;
}

/** Resolves with what went wrong, or with undefined. */
async function waitUntilHeard(
  { url, listen }: SiteSettings,
  { unit, flags, host, startedAt }: StartedUnit,
): Promise<string | undefined> {
  const metricsUrl = `${/--tls-cert\b/.test(flags) ? 'https' : 'http'}://${localAddress(listen)}/metrics`;
  // This command has no certificate that such a core instance accepts.
  const needsCertificate = /--client-ca\b/.test(flags);
  const restartsBefore = (await unit.state()).restarts;
  for (;;) {
    const { isKept, restarts } = await unit.state();
    if (!isKept) return `${unitName} has ended.`;
    if (restarts - restartsBefore >= maxRestarts) return `${unitName} ends whenever it is started.`;
    const metrics = needsCertificate ? '' : await read(metricsUrl);
    if (/^muster_core_instance_service_up 1$/m.test(metrics)) return undefined;
    const isReached = async () => (await unit.logSince(startedAt)).some((line) => messageOf(line).isReached);
    if (needsCertificate && (await isReached())) return undefined;
    if (host.now() - startedAt >= maxWaitMilliseconds) {
      return metrics === '' && !needsCertificate
        ? `${unitName} does not answer at ${metricsUrl} after 60 s.`
        : `${unitName} runs, and keeps what agents send, but ${url} has not accepted anything from it for 60 s.`;
    }
    await host.wait(pollMilliseconds);
  }
}

/** Where this machine reaches it. */
function localAddress({ host, port }: SiteSettings['listen']): string {
  if (host === '0.0.0.0' || host === '::') return `127.0.0.1:${port}`;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const maxLogLines = 5;

/** The end of its log: what it complains about. */
function explain(log: readonly string[]): string[] {
  const complaints = new Set(log.flatMap((line) => messageOf(line).complaint ?? []));
  return complaints.size === 0 ? [] : ['Its log says:', ...[...complaints].slice(-maxLogLines)];
}

interface Message {
  /** The text of a warning or an error. */
  readonly complaint?: string;
  readonly isReached?: boolean;
}

function messageOf(line: string): Message {
  if (!line.startsWith('{')) return line.startsWith('muster: ') ? { complaint: line } : {};
  try {
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown }; // both are checked
    if (typeof msg !== 'string') return {};
    return level === 'info' ? { isReached: msg.startsWith('Muster is reached') } : { complaint: msg };
  } catch {
    return {};
  }
}

async function readIfThere(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

const maxReadMilliseconds = 5_000;

/** Empty if nothing answers. Its certificate is for agents, who reach it by another name. */
function read(url: string): Promise<string> {
  return new Promise((resolve) => {
    const get = url.startsWith('https:') ? httpsGet : httpGet;
    const request = get(
      url,
      { agent: false, rejectUnauthorized: false, timeout: maxReadMilliseconds },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('error', () => resolve(''));
        response.on('end', () => resolve(text));
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(''));
  });
}
