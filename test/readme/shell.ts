import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';

export interface ShellOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reached only if something hangs. A command that fails, or that waits in a loop for what never comes, ends the shell long before. */
const commandMilliseconds = 300_000;

/**
 * A failing command and an unset variable end the shell, so the block fails. So does a loop around `sleep`, after as many
 * turns as no page needs: turns and not seconds, because on a busy machine each takes longer, like what it waits for.
 */
const start = `set -eu
turns=0
sleep() {
  turns=$((turns + 1))
  if [ "$turns" -gt 250 ]; then echo 'what the loop waits for does not come' >&2; exit 1; fi
  command sleep "$@"
}
`;

/** One bash that runs blocks of commands in order, as a person who pastes them. */
export class Shell {
  readonly #bash;
  #output = '';
  #errors = '';
  #hasEnded = false;
  #onOutput: () => void = () => undefined;

  constructor({ cwd, env }: ShellOptions) {
    this.#bash = spawn('bash', ['--norc', '--noprofile'], { cwd, env, stdio: 'pipe', detached: true });
    this.#bash.stdout.on('data', (chunk) => {
      this.#output += String(chunk);
      this.#onOutput();
    });
    this.#bash.stderr.on('data', (chunk) => {
      this.#errors += String(chunk);
    });
    // What it has left running in the background would keep its output open.
    this.#bash.on('exit', () => this.#killGroup());
    this.#bash.on('close', () => {
      this.#hasEnded = true;
      this.#onOutput();
    });
    // After its end, it reads nothing.
    this.#bash.stdin.on('error', () => undefined);
    this.#bash.stdin.write(start);
  }

  /** Returns the output of the commands. @throws Error if one fails or takes too long */
  async run(commands: string): Promise<string> {
    this.#output = '';
    this.#errors = '';
    const end = `end of ${randomUUID()}`;
    this.#bash.stdin.write(`turns=0\n${commands}\necho; echo '${end}'\n`);
    await this.#waitFor(() => this.#output.includes(end) || this.#hasEnded);
    if (!this.#output.includes(end)) {
      throw new Error(`a command failed or took too long:\n${commands}\n${this.#output}\n${this.#errors}`);
    }
    return this.#output.slice(0, this.#output.indexOf(end)).replaceAll('\r\n', '\n');
  }

  close(): void {
    this.#killGroup();
  }

  #killGroup(): void {
    try {
      // Negative: the shell and everything that it has started.
      if (this.#bash.pid !== undefined) process.kill(-this.#bash.pid, 'SIGKILL');
    } catch {
      // All have ended already.
    }
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
