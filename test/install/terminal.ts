import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renderScreen } from './render-screen.ts';

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const waitMilliseconds = 300_000;

/** A command on a terminal of its own, 100 columns wide, as a person sees and stops it. */
export class TerminalCommand {
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  #printed = '';
  #onOutput: () => void = () => undefined;

  constructor(command: string, { cwd, env }: TerminalOptions) {
    const args = ['--quiet', '--flush', '--return', '--command', `stty cols 100 rows 40; ${command}`];
    this.#process = spawn('script', [...args, '/dev/null'], {
      cwd,
      env: { ...env, SHELL: '/bin/sh', TERM: 'xterm', NO_COLOR: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#printed += text;
      this.#onOutput();
    });
    this.#ended = once(this.#process, 'close').then(() => this.#onOutput());
  }

  /** What stands on the terminal now. */
  screen(): string {
    return renderScreen(this.#printed);
  }

  /** @throws Error that shows the screen, when the command ends before or takes too long */
  async waitFor(isThere: (screen: string) => boolean): Promise<void> {
    const hasCome = await new Promise<boolean>((resolve) => {
      const look = (isLast: boolean): void => {
        const found = isThere(this.screen());
        if (!found && !isLast && this.#process.exitCode === null) return;
        clearTimeout(timer);
        this.#onOutput = () => undefined;
        resolve(found);
      };
      const timer = setTimeout(() => look(true), waitMilliseconds);
      this.#onOutput = () => look(false);
      look(false);
    });
    if (!hasCome) throw new Error(`what was waited for has not come; on the screen is:\n${this.screen()}`);
  }

  async ended(): Promise<{ readonly exitCode: number | null; readonly screen: string }> {
    await this.#ended;
    return { exitCode: this.#process.exitCode, screen: this.screen() };
  }

  /** Ctrl-C. */
  async interrupt(): Promise<void> {
    this.#process.stdin?.write('\x03');
    await this.#ended;
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}

/** @returns what stands on the terminal when the command has ended. @throws Error when it fails */
export async function runOnTerminal(command: string, options: TerminalOptions): Promise<string> {
  const { exitCode, screen } = await new TerminalCommand(command, options).ended();
  if (exitCode !== 0) throw new Error(`'${command}' ended with ${exitCode}:\n${screen}`);
  return screen;
}
