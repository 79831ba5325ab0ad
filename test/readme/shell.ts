import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';

export interface ShellOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const commandMilliseconds = 300_000;

/** One bash that runs blocks of commands in order, as a person who pastes them. */
export class Shell {
  readonly #bash;
  #output = '';
  #errors = '';
  #onOutput: () => void = () => undefined;

  constructor({ cwd, env }: ShellOptions) {
    this.#bash = spawn('bash', ['--norc', '--noprofile'], { cwd, env, stdio: 'pipe' });
    this.#bash.stdout.on('data', (chunk) => {
      this.#output += String(chunk);
      this.#onOutput();
    });
    this.#bash.stderr.on('data', (chunk) => {
      this.#errors += String(chunk);
    });
    this.#bash.on('close', () => this.#onOutput());
    // A failing command and an unset variable end the shell, so the block fails.
    this.#bash.stdin.write('set -eu\n');
  }

  /** Returns the output of the commands. @throws Error if one fails or takes too long */
  async run(commands: string): Promise<string> {
    this.#output = '';
    this.#errors = '';
    const end = `end of ${randomUUID()}`;
    this.#bash.stdin.write(`${commands}\necho; echo '${end}'\n`);
    await this.#waitFor(() => this.#output.includes(end) || this.#hasEnded());
    if (!this.#output.includes(end)) {
      throw new Error(`a command failed or took too long:\n${commands}\n${this.#output}\n${this.#errors}`);
    }
    return this.#output.slice(0, this.#output.indexOf(end)).replaceAll('\r\n', '\n');
  }

  close(): void {
    this.#bash.kill('SIGKILL');
  }

  #hasEnded(): boolean {
    return this.#bash.exitCode !== null || this.#bash.signalCode !== null;
  }

  #waitFor(isDone: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(finish, commandMilliseconds);
      this.#onOutput = () => {
        if (isDone()) finish();
      };
      this.#onOutput();
    });
  }
}
