import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { valuesOf } from './read-unit.ts';

const muster = fileURLToPath(new URL('../../cli/dist/muster.mjs', import.meta.url));

/**
 * Stands in for systemd with one unit in a private root: its `systemctl` and `journalctl` do what the real ones do to that unit, which runs for real.
 * It knows what our unit says and no more, and starts what has failed again at once.
 */
export class SystemdDouble {
  /** The arguments of each systemctl. */
  readonly calls: string[] = [];
  readonly log: string[] = [];
  readonly #root: string;
  readonly #unit: string;
  readonly #server: Server;
  #child: ChildProcess | undefined;
  #active: 'active' | 'inactive' | 'failed' = 'inactive';
  #restarts = 0;

  private constructor(root: string, unit: string, server: Server) {
    this.#root = root;
    this.#unit = unit;
    this.#server = server;
  }

  /**
   * @param root an empty folder
   * @param unit the text of the unit
   */
  static async start(root: string, unit: string): Promise<SystemdDouble> {
    let double: SystemdDouble | undefined;
    const server = createServer((socket) => {
      createInterface(socket).once('line', async (line) =>
        socket.end((await double?.answer(line.split(' '))) ?? ''),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    double = new SystemdDouble(root, unit, server);
    double.#writePrograms((server.address() as AddressInfo).port); // it listens on a port
    return double;
  }

  /** For the command that runs `systemctl`. */
  get env(): Record<string, string> {
    return { PATH: [join(this.#root, 'bin'), process.env.PATH].join(delimiter) };
  }

  get isActive(): boolean {
    return this.#active === 'active';
  }

  async stop(): Promise<void> {
    await this.#end();
    this.#server.close();
  }

  /** @returns what the program prints */
  async answer([program = '', ...args]: readonly string[]): Promise<string> {
    if (program === 'journalctl') return `${this.log.join('\n')}\n`;
    this.calls.push(args.join(' '));
    const [verb] = args;
    if (verb === 'show') {
      return `NRestarts=${this.#restarts}\nActiveState=${this.#active}\n`;
    }
    if (verb === 'restart') {
      await this.#end();
      this.#restarts = 0;
      this.#start();
    }
    return '';
  }

  #writePrograms(port: number): void {
    const folder = join(this.#root, 'bin');
    mkdirSync(folder, { recursive: true });
    for (const name of ['systemctl', 'journalctl']) {
      const program = `#!/bin/bash\nexec 3<>/dev/tcp/127.0.0.1/${port}\necho "${name} $*" >&3\ncat <&3\n`;
      writeFileSync(join(folder, name), program, { mode: 0o755 });
    }
    symlinkSync(process.execPath, join(folder, 'node'));
    symlinkSync(muster, join(folder, 'muster'));
  }

  #start(): void {
    const env = this.#readEnvironment();
    const [program = '', ...args] =
      (valuesOf(this.#unit, 'ExecStart')[0] ?? '')
        .match(/'[^']*'|\S+/g)
        ?.flatMap((word) => expand(word, env))
        .map((word) => this.#inRoot(word)) ?? [];
    this.#loadCredentials();
    const child = spawn(program, args, {
      env: { PATH: this.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#active = 'active';
    for (const output of [child.stdout, child.stderr])
      createInterface(output).on('line', (line) => this.log.push(line));
    child.once('close', (code) => {
      if (this.#child !== child) return;
      const isFinal = valuesOf(this.#unit, 'RestartPreventExitStatus')[0]?.split(' ').includes(String(code));
      if (code === 0 || isFinal === true) {
        this.#active = code === 0 ? 'inactive' : 'failed';
        return;
      }
      this.#restarts += 1;
      this.#start();
    });
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  }

  #readEnvironment(): Record<string, string> {
    const file = join(this.#root, (valuesOf(this.#unit, 'EnvironmentFile')[0] ?? '').replace(/^-/, ''));
    const lines = [
      ...valuesOf(this.#unit, 'Environment'),
      ...(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []),
    ];
    return Object.fromEntries(
      lines.filter((line) => /^\w+=/.test(line)).map((line) => [line.replace(/=.*/s, ''), unquote(line)]),
    );
  }

  /** `LoadCredential=` of its drop-ins. */
  #loadCredentials(): void {
    const name = 'muster-core-instance.service';
    const folder = join(this.#root, `etc/systemd/system/${name}.d`);
    const target = join(this.#root, 'run/credentials', name);
    mkdirSync(target, { recursive: true });
    const dropIns = existsSync(folder) ? readdirSync(folder) : [];
    for (const file of dropIns) {
      for (const value of valuesOf(readFileSync(join(folder, file), 'utf8'), 'LoadCredential')) {
        const [id = '', source = ''] = value.split(':');
        copyFileSync(source, join(target, id));
      }
    }
  }

  #inRoot(word: string): string {
    return word
      .replace('%S', join(this.#root, 'var/lib'))
      .replace(/^\/run\/credentials/, join(this.#root, 'run/credentials'));
  }
}

/** `$NAME` becomes as many words as its value has, `${NAME}` is replaced within one, and so is `$$` by `$`. */
function expand(word: string, env: Readonly<Record<string, string>>): string[] {
  const [, whole] = /^\$(\w+)$/.exec(word) ?? [];
  if (whole !== undefined) return (env[whole] ?? '').split(' ').filter((part) => part !== '');
  const text = word.replace(/^'(.*)'$/s, '$1');
  return [text.replaceAll(/\$\$|\$\{(\w+)\}/g, (_, name?: string) => (name ? (env[name] ?? '') : '$'))];
}

/** The value of a line of an environment file. */
function unquote(line: string): string {
  const value = line.replace(/^\w+=/, '');
  return /^".*"$/s.test(value) ? value.slice(1, -1).replaceAll(/\\(["\\$`])/g, '$1') : value;
}
