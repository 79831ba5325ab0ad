import { quoteForShell } from '@muster/contract';
import type { Command } from 'commander';
import { addClientCommand, type ClientFlags, readCount } from '../client-command.ts';
import { CommandError } from '../command-error.ts';
import { chooseServer } from '../connection/choose-server.ts';
import { loginCommand } from '../connection/connect.ts';
import { findAdminToken, findLocalServer } from '../connection/local-server.ts';
import { isLoopback } from '../connection/server-url.ts';
import { readSeconds } from '../duration.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface DemoFlags extends ClientFlags {
  readonly agents: number;
  readonly duration?: number;
}

interface DemoServer {
  readonly url: string;
  readonly token: string;
  readonly shellToken: string;
  /** The commands, without the program, that choose it for all others; undefined: variables do. */
  readonly signIn: readonly string[] | undefined;
}

const defaultAgents = 5_000;
const maxAgents = 100_000;
const maxDurationSeconds = 3_600;

/** `muster demo`: simulated agents in a project of their own. */
export function addDemoCommand(program: Command, terminal: Terminal): void {
  const command = addClientCommand(program, 'demo', {
    summary: 'Show Muster with simulated agents that get a bad configuration.',
    description:
      'Simulates agents in a new project: a bad configuration reaches many of them, is fixed, and comes back. At each step it prints the commands that show what has happened. It uses the server that runs in this folder, on any port, or the one of the profile.',
    examples: ['muster demo', 'muster demo --agents 500 --duration 60s'],
  });
  command
    .option('--agents <n>', `How many agents, at most ${maxAgents}.`, readCount, defaultAgents)
    .option(
      '--duration <time>',
      'Go on without Enter, and end after this time, at most 1h, and a minute for the rollout. Default: on a terminal, Enter goes on; elsewhere 60s.',
      readSeconds,
    )
    .action(async (flags: DemoFlags) => {
      requireAtMost('--agents', flags.agents, maxAgents, String(maxAgents));
      requireAtMost('--duration', flags.duration ?? 0, maxDurationSeconds, '1h');
      const server = await findServer(terminal, flags.profile);
      const { runDemo } = await import('../../../demo/src/run-demo.ts');
      const exitCode = await runDemo({
        agents: flags.agents,
        durationSeconds: flags.duration,
        command: terminal.ownCommand(),
        url: new URL(server.url),
        token: server.token,
        shellToken: server.shellToken,
        signIn: server.signIn,
        input: terminal.stdin,
        output: terminal.stdout,
      }).catch((error: unknown) => {
        if (!(error instanceof Error) || error.name !== 'DemoError') throw error;
        const [message = '', ...mend] = error.message.split('\n');
        throw new CommandError('failed', message, mend.length === 0 ? undefined : mend.join('\n'));
      });
      if (exitCode !== 0) process.exitCode = exitCode;
    });
}

function requireAtMost(flag: string, value: number, max: number, text: string): void {
  if (value > max) throw new CommandError('usage', `${flag} takes at most ${text}.`);
}

/** What the user named; otherwise the server that runs in this folder; otherwise the profile, if its server is on this machine. */
async function findServer(terminal: Terminal, profileFlag: string | undefined): Promise<DemoServer> {
  const { MUSTER_URL: url = '', MUSTER_TOKEN: token = '', MUSTER_PROFILE: profile = '' } = terminal.env;
  const isNamed = profileFlag !== undefined || url !== '' || token !== '' || profile !== '';
  const local = isNamed ? undefined : await findLocalDemoServer(terminal);
  if (local !== undefined) return local;
  const chosen = await chooseServer(terminal, profileFlag);
  if (chosen.token === undefined) {
    throw new CommandError(
      'notSignedIn',
      'No server runs in this folder, and you are not signed in to one.',
      `Start one with \`muster serve\`, or \`npm start\` in a checkout. If its data is in another folder, set MUSTER_DATA_DIR to that. To use ${chosen.url}, run: ${loginCommand(chosen)}`,
    );
  }
  if (!isNamed && !isLoopback(chosen.url)) {
    throw new CommandError(
      'usage',
      `The demo would add a project with simulated agents to ${chosen.url}.`,
      `If you want that, name it: muster demo --profile ${quoteForShell(chosen.profile?.name ?? '')}`,
    );
  }
  const from = chosen.profile === undefined ? 'in MUSTER_TOKEN of this terminal' : 'of the profile';
  return {
    url: chosen.url,
    token: chosen.token,
    shellToken: `…   # the token ${from}`,
    signIn: isNamed || (terminal.env.MUSTER_PROJECT ?? '') !== '' ? undefined : [],
  };
}

async function findLocalDemoServer(terminal: Terminal): Promise<DemoServer | undefined> {
  const url = await findLocalServer(terminal);
  const found = url === undefined ? undefined : await findAdminToken(terminal);
  if (url === undefined || found === undefined) return undefined;
  return {
    url,
    token: found.token,
    shellToken: `$(cat ${quoteForShell(found.source)})`,
    signIn: await findSignIn(terminal, url),
  };
}

/** Nothing if the person is signed in there; `login` if nowhere. */
async function findSignIn(terminal: Terminal, url: string): Promise<readonly string[] | undefined> {
  if ((terminal.env.MUSTER_PROJECT ?? '') !== '') return undefined;
  const { profile, token } = await chooseServer(terminal, undefined);
  if (profile === undefined) return ['login'];
  return profile.url === url && token !== undefined ? [] : undefined;
}
