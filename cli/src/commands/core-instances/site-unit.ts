import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CommandError } from '../../command-error.ts';

export const unitName = 'muster-core-instance.service';

interface UnitState {
  /** False: systemd does not try again. */
  readonly isKept: boolean;
  /** How often systemd has started it again by itself. */
  readonly restarts: number;
}

const maxTailLines = 200;

/** The unit of systemd that runs the core instance of this machine. */
export class SiteUnit {
  readonly #env: Readonly<Record<string, string | undefined>>;

  /** @param env of the programs that it runs */
  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  /**
   * @param alternative a command that runs the core instance without systemd
   * @throws CommandError (as a rejection) if systemd does not run here, or does not know the unit
   */
  async requireThere(alternative: string): Promise<void> {
    const { exitCode, stdout } = await this.#run('systemctl', ['is-system-running']);
    if (exitCode === undefined || stdout.trim() === 'offline') {
      throw new CommandError(
        'failed',
        exitCode === undefined
          ? 'This machine has no systemctl: this command installs a unit of systemd.'
          : 'systemd does not run on this machine, as in a container: this command installs a unit of systemd.',
        `Nothing was changed. To run the core instance without systemd, let something else start it and keep it running: ${alternative}`,
      );
    }
    if ((await this.#run('systemctl', ['cat', unitName])).exitCode === 0) return;
    throw new CommandError(
      'failed',
      `systemd does not know ${unitName}.`,
      'Install the Debian package of Muster first, or copy deploy/systemd/muster-core-instance.service to /etc/systemd/system.',
    );
  }

  async reload(): Promise<void> {
    await this.#systemctl('daemon-reload');
  }

  /** Starts it now and with the machine. */
  async start(): Promise<void> {
    await this.#systemctl('enable', unitName);
    await this.#systemctl('restart', unitName);
  }

  async state(): Promise<UnitState> {
    const properties = '--property=ActiveState,NRestarts';
    const { stdout } = await this.#run('systemctl', ['show', properties, unitName]);
    return {
      isKept: !/^ActiveState=(failed|inactive)$/m.test(stdout),
      restarts: Number(/^NRestarts=(\d+)$/m.exec(stdout)?.[1] ?? 0),
    };
  }

  /** What it has logged. Its lines are JSON, others are of systemd or of a start that failed early. */
  async logSince(milliseconds: number): Promise<string[]> {
    const since = `@${Math.floor(milliseconds / 1_000)}`;
    const { stdout } = await this.#run('journalctl', [
      '--unit',
      unitName,
      '--since',
      since,
      '--lines',
      String(maxTailLines),
      '--output',
      'cat',
    ]);
    return stdout.split('\n').filter((line) => line !== '');
  }

  async #systemctl(...args: readonly string[]): Promise<void> {
    const { exitCode, stderr } = await this.#run('systemctl', args);
    if (exitCode === 0) return;
    throw new CommandError(
      'failed',
      `systemctl ${args.join(' ')} failed: ${stderr.trim()}`,
      `To see its log: journalctl --unit ${unitName}`,
    );
  }

  async #run(program: string, args: readonly string[]): Promise<Ran> {
    try {
      return { exitCode: 0, ...(await promisify(execFile)(program, args, { env: { ...this.#env } })) };
    } catch (error) {
      const {
        code,
        stdout = '',
        stderr = '',
      } = error as { code?: unknown; stdout?: string; stderr?: string }; // of a child process
      return { exitCode: typeof code === 'number' ? code : undefined, stdout, stderr };
    }
  }
}

interface Ran {
  /** Undefined if there is no such program. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}
