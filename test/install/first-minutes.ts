import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/workspace.mjs';
import type { InstalledMuster } from './installed-muster.ts';
import { StandIns } from './stand-ins.ts';
import { runOnTerminal, TerminalCommand, type TerminalOptions } from './terminal.ts';

/** The configuration whose errors a real Fluent Bit has printed. */
const config = readFileSync(join(root, 'samples/fluent-bit/bad-plugin.conf'), 'utf8');
const printedByFluentBit = join(root, 'samples/fluent-bit/bad-plugin.conf.log');

const commands = {
  serve: 'muster serve',
  login: 'muster login',
  token: '(umask 077; muster token create edge-agents --quiet > edge-token)',
  watch: 'muster error watch',
  report: `cat > fluent-bit.conf <<'EOF'
${config}EOF
muster report --token-file edge-token --name web-01 -- fluent-bit -c fluent-bit.conf`,
  dismiss: `muster error dismiss --all --reason 'The name was misspelt' --yes
muster status`,
  rollout: `agent() {
  printf '[OUTPUT]\\n    name http\\n    host 10.0.0.%s\\n    port 9\\n' $1 > web-$1.conf
  muster report --token-file edge-token --name web-$1 --machine-id web-$1 --config-file web-$1.conf -- \\
    sh -c "echo '[error] [output:http:http.0] no upstream connections available to 10.0.0.$1:9' >&2; exit 1"
}
for n in 2 3 4; do agent $n; done`,
  groups: 'muster error groups',
  cause: `GROUP=$(muster error groups --quiet)
muster error get $GROUP`,
  undo: `muster error dismiss --group $GROUP --reason 'The port was corrected' --yes
muster dismissal undo $(muster dismissal list --last 1 --quiet)`,
  regression: `muster error dismiss --group $GROUP --reason 'The port was corrected' --yes
agent 2
muster error groups`,
};

/**
 * Takes the steps of docs/first-minutes.md with the real programs, on real terminals. Returns the parts of the page that
 * show them: Markdown by the name of the part.
 */
export async function recordFirstMinutes(muster: InstalledMuster): Promise<Record<string, string>> {
  const serverEnv = { ...muster.env, PORT: '0' };
  const server = new TerminalCommand(commands.serve, { cwd: muster.folder, env: serverEnv });
  const started: TerminalCommand[] = [server];
  try {
    // The last line that it prints on its own.
    await server.waitFor((screen) => screen.includes('-H "Authorization: Bearer'));
    const url = /ready at (\S+)/.exec(server.screen())?.[1] ?? '';
    const standIns = new StandIns({ ...muster, url });
    const env = { ...muster.env, PATH: `${fluentBitFolder(muster)}:${muster.env.PATH}` };
    const options = { cwd: muster.folder, env };
    // For the port; the others know the server from the sign-in.
    const loginOptions = { ...options, env: { ...env, MUSTER_URL: url } };
    const show = (command: string, screen: string) => commandBlock(command) + screenBlock(standIns, screen);

    const serve = show(commands.serve, server.screen());
    const login = show(commands.login, await runOnTerminal(commands.login, loginOptions));
    const token = show(commands.token, await runOnTerminal(commands.token, options));
    const watcher = new TerminalCommand(commands.watch, options);
    started.push(watcher);
    await watcher.waitFor((screen) => screen.includes('Ctrl-C'));
    // Which ends as the agent does: with 1.
    const reporting = new TerminalCommand(commands.report, options);
    const report = show(commands.report, (await reporting.ended()).screen);
    await watcher.waitFor((screen) => screen.includes('dumy') && screen.includes('aborting'));
    await watcher.interrupt();
    const watched = screenBlock(standIns, watcher.screen());
    const dismiss = show(commands.dismiss, await runOnTerminal(commands.dismiss, options));
    const shown = { serve, login, token, watch: commandBlock(commands.watch), report, watched, dismiss };
    const rollout = await recordRollout(show, options);
    await server.interrupt();
    return { ...shown, ...rollout };
  } finally {
    for (const one of started) one.kill();
  }
}

/** One cause on three agents: how it is seen, dismissed, reopened, and how it comes back. */
async function recordRollout(
  show: (command: string, screen: string) => string,
  options: TerminalOptions,
): Promise<Record<string, string>> {
  const { rollout, groups, cause, undo, regression } = commands;
  const reporting = new TerminalCommand(rollout, options);
  const reported = show(rollout, (await reporting.ended()).screen);
  // Each command has a shell of its own here; the reader's knows what the commands before have defined.
  const [defined = ''] = rollout.split('\nfor ');
  const [variable = ''] = cause.split('\n');
  const run = (command: string) => runOnTerminal(`${defined}\n${variable}\n${command}`, options);
  const counted = await runUntil(groups, options, (screen) => screen.includes(' 75% '));
  const explained = await runOnTerminal(cause, options);
  const undone = await run(undo);
  await runUntil(groups, options, (screen) => screen.includes(' 75% '));
  // The agent ends with 1.
  const dismissed = await run(`${regression.slice(0, -groups.length)}true`);
  const regressed = await runUntil(groups, options, (screen) => screen.includes(' regressed '));
  return {
    rollout: reported,
    groups: show(groups, counted),
    cause: show(cause, explained),
    undo: show(undo, undone),
    regression: show(regression, dismissed + regressed),
  };
}

const maxRounds = 200;

/** Errors are counted a moment after they were stored, which on a busy machine may be after the next command. */
async function runUntil(
  command: string,
  options: TerminalOptions,
  isCounted: (screen: string) => boolean,
): Promise<string> {
  let screen = '';
  for (let round = 0; round < maxRounds; round += 1) {
    screen = await runOnTerminal(command, options);
    if (isCounted(screen)) return screen;
  }
  throw new Error(`the errors were not counted; on the screen is:\n${screen}`);
}

/** A `fluent-bit` that prints what the real one printed for this configuration, where there is no real one. */
function fluentBitFolder({ prefix }: InstalledMuster): string {
  const folder = join(prefix, 'fluent-bit');
  mkdirSync(folder, { recursive: true });
  const script = `#!/bin/sh\ncat '${printedByFluentBit}' >&2\nexit 1\n`;
  writeFileSync(join(folder, 'fluent-bit'), script);
  chmodSync(join(folder, 'fluent-bit'), 0o755);
  return folder;
}

function commandBlock(command: string): string {
  return `<!-- not run here: test/install runs it on a terminal, as installed -->\n\`\`\`sh\n${command}\n\`\`\`\n`;
}

function screenBlock(standIns: StandIns, screen: string): string {
  const text = standIns.replaceIn(screen).trim();
  return text === '' ? '' : `\n\`\`\`text\n${text}\n\`\`\`\n`;
}
