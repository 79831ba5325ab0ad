import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/workspace.mjs';
import type { InstalledMuster } from './installed-muster.ts';
import { StandIns } from './stand-ins.ts';
import { runOnTerminal, TerminalCommand } from './terminal.ts';

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
  dismiss: `muster error list --quiet | muster error dismiss - --reason 'The name was misspelt'
muster status`,
};

/**
 * Does what the README has its reader do in the first minutes, on real terminals with the real programs. Answers the
 * parts of the README that show it, as Markdown by their names.
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
    await server.interrupt();
    return { serve, login, token, watch: commandBlock(commands.watch), report, watched, dismiss };
  } finally {
    for (const one of started) one.kill();
  }
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
  return `\n\`\`\`text\n${standIns.replaceIn(screen).trim()}\n\`\`\`\n`;
}
