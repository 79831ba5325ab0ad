import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { addLocalCommand, collect } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { kindOfToken, requireToken } from '../../connection/credential.ts';
import { tokenFileReader } from '../../connection/read-token-file.ts';
import { readServerUrl } from '../../connection/server-url.ts';
import { askForToken } from '../../terminal/prompts.ts';
import { canPrompt, type Terminal } from '../../terminal/terminal.ts';
import { readKeyPins } from './key-pins.ts';
import { defaultSitePort, readSiteAddress } from './site-address.ts';

interface InstallFlags {
  readonly url?: string;
  readonly name?: string;
  readonly tokenFile?: string;
  readonly joined?: boolean;
  readonly listen: string;
  readonly pin?: readonly string[];
}

/** `muster core-instance install`: on the host of a site, as root. */
export function addCoreInstanceInstall(noun: Command, terminal: Terminal, settingsRoot = '/etc'): void {
  addLocalCommand(noun, 'install', {
    summary: 'Configure and start the core instance of this host, as root.',
    description:
      'The recommended way to run a core instance. Writes the settings of the systemd unit muster-core-instance, starts it now and with the machine, and waits up to 60 s until the service has answered it. If it does not, this command says why. The project token with which it joins is read from --token-file or asked for, and deleted from this host after it has joined. Repeat the command to change the settings.',
    examples: [
      'muster core-instance install --url https://muster.example.com --name plant-7',
      'muster core-instance install --url https://muster.example.com --token-file plant-7.token',
      'muster core-instance install --url https://muster.example.com --joined --listen 10.0.0.5:7410',
    ],
  })
    .option('--url <url>', 'Address of the service. (MUSTER_URL)')
    .option('--name <name>', 'Its name in Muster, when it joins. Default: the name of the host.')
    .option('--token-file <file>', 'File that holds the project token with which it joins.')
    .option('--joined', 'It has joined before, and needs no project token.')
    .option('--listen <address>', 'Where agents reach it: HOST:PORT.', `0.0.0.0:${defaultSitePort}`)
    .option(
      '--pin <pin>',
      'Key that the certificate of the service must have, as sha256//BASE64; may be repeated. Absent: the settings keep what they have.',
      collect,
    )
    .action(async (flags: InstallFlags) => {
      if (process.getuid?.() !== 0) {
        throw new CommandError('usage', 'It writes settings of the system: run it as root.');
      }
      const { name = hostname(), listen } = flags;
      const givenUrl = flags.url ?? terminal.env.MUSTER_URL ?? '';
      if (givenUrl === '') throw new CommandError('usage', 'It needs --url, the address of the service.');
      const url = readServerUrl(givenUrl, flags.url === undefined ? 'MUSTER_URL' : '--url');
      const { host, port } = readSiteAddress(listen);
      if (port === 0)
        throw new CommandError('usage', '--listen needs a port that agents can be told, not 0.');
      const pins = flags.pin && readKeyPins(flags.pin.join(';'), '--pin', url);
      const token = await readJoinToken(flags, terminal);
      const { env, stderr } = terminal;
      const note = (text: string) => void stderr.write(`${text}\n`);
      const { installSite } = await import('./site-installation.ts');
      await installSite(
        { url, name, listen: { text: listen, host, port }, pins, token },
        { settingsRoot, env, now: terminal.now, wait: (time) => wait(time), note },
      );
      note(
        `The core instance runs, and ${url} has answered it. Agents reach it at port ${port} of this host.`,
      );
    });
}

async function readJoinToken(
  { joined = false, tokenFile }: InstallFlags,
  terminal: Terminal,
): Promise<string | undefined> {
  if (joined && tokenFile !== undefined)
    throw new CommandError('usage', '--joined and --token-file exclude each other.');
  if (joined) return undefined;
  if (tokenFile === undefined && !canPrompt(terminal)) {
    throw new CommandError(
      'usage',
      'It needs --token-file, a file with a project token that may create a core instance, or --joined.',
      'To make such a token, run where you are signed in: muster core-instance create NAME',
    );
  }
  const [text, source] =
    tokenFile === undefined
      ? [await askForToken(terminal, 'Project token with which it joins (not shown):'), 'The answer']
      : [await tokenFileReader(tokenFile)(), tokenFile];
  const token = requireToken(text, source);
  if (kindOfToken(token) !== 'project') {
    throw new CommandError(
      'usage',
      `${source} holds no project token.`,
      'To make one, run where you are signed in: muster core-instance create NAME',
    );
  }
  return token;
}
