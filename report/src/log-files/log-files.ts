import type { OutputStream } from '../output-reading.ts';
import type { StreamName } from '../process/agent-kind.ts';
import { LogFileFollower } from './log-file-follower.ts';

const pollMilliseconds = 250;
const maxLastPolls = 100;

export interface LogFilesOptions {
  readonly addStream: () => OutputStream;
  /** Resolves when everything that was handed on was read. */
  readonly whenRead: () => Promise<void>;
  /** Outputs of the agent that are read. */
  readonly streams: readonly StreamName[];
  readonly tell: (message: string) => void;
}

/** Follows the files that an agent logs to instead of stdout or stderr. */
export class LogFiles {
  readonly #options: LogFilesOptions;
  readonly #followers = new Map<string, LogFileFollower>();
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> = Promise.resolve();
  #hasEnded = false;

  constructor(options: LogFilesOptions) {
    this.#options = options;
  }

  /** Follows these files from their present end. Files that are followed already are not affected. */
  async add(paths: readonly string[]): Promise<void> {
    const { addStream, tell } = this.#options;
    for (const path of paths) {
      const output = outputNamed(path);
      if (output !== undefined) this.#tellOfOutput(path, output);
      if (output !== undefined || this.#followers.has(path)) continue;
      const onFault = (reason: string) =>
        tell(`the agent logs to ${path}, which cannot be read: ${reason}. Errors in it are not seen.`);
      this.#followers.set(path, await LogFileFollower.start({ path, stream: addStream(), onFault }));
    }
    if (this.#followers.size > 0 && this.#timer === undefined) this.#schedule();
  }

  /** The agent has ended: reads the rest of the files. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#hasEnded = true;
    await this.#polling;
    for (const follower of this.#followers.values()) {
      await this.#readRest(follower);
      // Again, in case the file has just been replaced.
      await this.#readRest(follower);
      await follower.close();
    }
  }

  /** Ends also for a file that other processes go on writing to. */
  async #readRest(follower: LogFileFollower): Promise<void> {
    for (let polls = 0; polls < maxLastPolls; polls += 1) {
      if (await follower.poll()) return;
      await this.#options.whenRead();
    }
  }

  #schedule(): void {
    if (this.#hasEnded) return;
    this.#timer = setTimeout(() => {
      this.#polling = this.#pollAll().finally(() => this.#schedule());
    }, pollMilliseconds);
    this.#timer.unref();
  }

  async #pollAll(): Promise<void> {
    for (const follower of this.#followers.values()) await follower.poll();
  }

  #tellOfOutput(path: string, output: StreamName): void {
    const { streams, tell } = this.#options;
    if (streams.includes(output)) return;
    tell(
      `the agent logs to ${path}, but its ${output} is not read. Add --watch ${streams.length > 0 ? 'both' : output}.`,
    );
  }
}

/** The output of the agent that a path stands for. In this process, the same path would be one of its own outputs. */
function outputNamed(path: string): StreamName | undefined {
  if (/^(?:\/dev\/stdout|\/dev\/fd\/1|\/proc\/self\/fd\/1)$/.test(path)) return 'stdout';
  if (/^(?:\/dev\/stderr|\/dev\/fd\/2|\/proc\/self\/fd\/2)$/.test(path)) return 'stderr';
  return undefined;
}
