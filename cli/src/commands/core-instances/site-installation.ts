import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CommandError } from '../../command-error.ts';
import { writePrivateFile } from '../../profiles/private-file.ts';

export interface SiteSettings {
  /** Of the service. */
  readonly url: string;
  readonly name: string;
  /** `HOST:PORT`. */
  readonly listen: string;
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

const unit = 'muster-core-instance.service';
const maxWaitMilliseconds = 60_000;
const pollMilliseconds = 1_000;

/**
 * Writes the settings of the unit, starts it, and waits until the service has answered it.
 *
 * @throws CommandError (as a rejection) that says why it does not run
 */
export async function installSite(settings: SiteSettings, host: SiteHost): Promise<void> {
  const { settingsRoot } = host;
  await requireUnit(host);
  const settingsFile = join(settingsRoot, 'muster/core-instance.env');
  const tokenFile = join(settingsRoot, 'muster/core-instance.token');
  const dropIn = join(settingsRoot, `systemd/system/${unit}.d/project-token.conf`);
  const text = changedSettings(await readIfThere(settingsFile), settings);
  await writePrivateFile(settingsFile, text);
  if (settings.token !== undefined) {
    await writePrivateFile(tokenFile, `${settings.token}\n`);
    await mkdir(dirname(dropIn), { recursive: true });
    await writeFile(dropIn, `[Service]\nLoadCredential=project-token:${tokenFile}\n`);
    await systemctl(host, 'daemon-reload');
  }
  await systemctl(host, 'enable', unit);
  await systemctl(host, 'restart', unit);
  host.note(`Started ${unit}. Waiting until ${settings.url} has answered it …`);
  await waitUntilHeard(settings, /--tls-cert/.test(text), host);
  if (settings.token === undefined) return;
  // It has a token of its own now: a copy of this one could only be stolen.
  await rm(tokenFile, { force: true });
  await rm(dirname(dropIn), { recursive: true, force: true });
  await systemctl(host, 'daemon-reload');
}

async function requireUnit(host: SiteHost): Promise<void> {
  const { exitCode } = await run(host, 'systemctl', ['cat', unit]);
  if (exitCode === 0) return;
  throw new CommandError(
    'failed',
    exitCode === undefined
      ? 'This machine has no systemctl: this command installs a unit of systemd.'
      : `systemd does not know ${unit}.`,
    exitCode === undefined
      ? 'To run a core instance without systemd: muster core-instance start --help'
      : 'Install the Debian package of Muster first, or copy deploy/systemd/muster-core-instance.service to /etc/systemd/system.',
  );
}

/** The lines of the file, with these settings in the place of earlier ones. */
function changedSettings(before: string, { url, name, listen }: SiteSettings): string {
  const settings = {
    MUSTER_URL: url,
    MUSTER_CORE_INSTANCE_NAME: name,
    MUSTER_CORE_INSTANCE_LISTEN: listen,
  };
  const others = before
    .split('\n')
    .filter((line) => !Object.keys(settings).some((variable) => line.startsWith(`${variable}=`)));
  const lines = Object.entries(settings).map(([variable, value]) => `${variable}=${quoted(value)}`);
  return `${[...others.join('\n').trimEnd().split('\n'), ...lines].join('\n').trimStart()}\n`;
}

/** As systemd reads it in an environment file. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]*$/.test(value) ? value : `"${value.replaceAll(/["\\$`]/g, '\\$&')}"`;
}

async function waitUntilHeard({ url, listen }: SiteSettings, hasTls: boolean, host: SiteHost): Promise<void> {
  const deadline = host.now() + maxWaitMilliseconds;
  const metricsUrl = `${hasTls ? 'https' : 'http'}://${localAddress(listen)}/metrics`;
  for (;;) {
    const state = await run(host, 'systemctl', ['is-active', unit]);
    if (/^(failed|inactive)\b/.test(state.stdout)) {
      throw new CommandError('failed', `${unit} has ended.`, await explain(host));
    }
    const metrics = await read(metricsUrl);
    if (/^muster_core_instance_centre_up 1$/m.test(metrics)) return;
    if (host.now() >= deadline) {
      throw new CommandError(
        'failed',
        metrics === ''
          ? `${unit} does not answer at ${metricsUrl} after 60 s.`
          : `${unit} runs, and keeps what agents send, but ${url} has not answered it for 60 s.`,
        await explain(host),
      );
    }
    await host.wait(pollMilliseconds);
  }
}

/** Where this machine reaches it. */
function localAddress(listen: string): string {
  return listen.replace(/^(0\.0\.0\.0|\[::\]):/, '127.0.0.1:');
}

const maxLogLines = 5;

/** The end of its log: what it complains about. */
async function explain(host: SiteHost): Promise<string> {
  const { stdout } = await run(host, 'journalctl', ['--unit', unit, '--lines', '50', '--output', 'cat']);
  const lines = stdout.split('\n').filter((line) => line !== '');
  const complaints = lines.flatMap(readComplaint).slice(-maxLogLines);
  return [
    ...(complaints.length === 0 ? [] : ['Its log says:', ...new Set(complaints)]),
    `To see all of it: journalctl --unit ${unit}`,
  ].join('\n');
}

/** The message of a warning or an error. Other lines are of systemd, or of a start that failed early. */
function readComplaint(line: string): string[] {
  if (!line.startsWith('{')) return line.startsWith('muster: ') ? [line] : [];
  try {
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown }; // both are checked
    return typeof level === 'number' && level >= 40 && typeof msg === 'string' ? [msg] : [];
  } catch {
    return [];
  }
}

async function systemctl(host: SiteHost, ...args: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await run(host, 'systemctl', args);
  if (exitCode === 0) return;
  throw new CommandError(
    'failed',
    `systemctl ${args.join(' ')} failed: ${stderr.trim()}`,
    await explain(host),
  );
}

interface Ran {
  /** Undefined if there is no such program. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

async function run({ env }: SiteHost, program: string, args: readonly string[]): Promise<Ran> {
  try {
    return { exitCode: 0, ...(await promisify(execFile)(program, args, { env: { ...env } })) };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string }; // of a child process
    return { exitCode: typeof code === 'number' ? code : undefined, stdout, stderr };
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
