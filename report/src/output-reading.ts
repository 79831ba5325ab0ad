import { Backlog } from './lines/backlog.ts';
import type { ReportLevel } from './lines/error-line.ts';
import { ErrorTexts } from './lines/error-texts.ts';
import type { LastLines } from './lines/failed-exit.ts';
import { LastOutput } from './lines/last-output.ts';
import { TimeLimit } from './lines/time-limit.ts';
import { VersionFinder } from './version-finder.ts';

/** Limit on output that was passed on and is not read yet. */
const maxBacklogBytes = 8 * 1_048_576;
/** Limit on reading at most 64 KiB of output with --pattern. A sound regular expression takes a few milliseconds. */
const maxPatternMilliseconds = 250;
/** --pattern is not used any more after it has exceeded its limit this many times. */
const maxSlowSteps = 3;

export interface OutputReadingOptions {
  readonly level: ReportLevel;
  /** The name of the agent's program or its type: some agents print errors in a form of their own. */
  readonly dialect: string;
  readonly pattern: RegExp | undefined;
  /** Called with each error as it is to be reported, repeats included. */
  readonly onText: (text: string) => void;
  /** Called for each error that is dropped because too many come at once. */
  readonly onDropped: () => void;
  /** Called with the length of output that is skipped, because it comes faster than it can be read. */
  readonly onSkipped: (bytes: number) => void;
  readonly tell: (message: string) => void;
}

export type OutputName = keyof LastLines;

/** One stream of output, such as stderr or a log file. */
export interface OutputStream {
  /** Takes what has been passed on. Reads it later. */
  push(chunk: Buffer): void;
  /** True while much output waits to be read: a source that can wait, such as a file, then should. */
  readonly isBehind: boolean;
}

/** Finds the errors in all output of one agent, after the output was passed on. */
export class OutputReading {
  readonly #options: OutputReadingOptions;
  readonly #backlog: Backlog;
  readonly #streams: ErrorTexts[] = [];
  readonly #lastOutputs: { readonly name: OutputName; readonly last: LastOutput }[] = [];
  readonly #versionFinder = new VersionFinder();
  #slowSteps = 0;

  constructor(options: OutputReadingOptions) {
    this.#options = options;
    const onExceeded = () => this.#countSlowStep();
    this.#backlog = new Backlog({
      maxBytes: maxBacklogBytes,
      now: () => performance.now(),
      defer: setImmediate,
      onSkipped: options.onSkipped,
      timeLimit: options.pattern && new TimeLimit({ milliseconds: maxPatternMilliseconds, onExceeded }),
    });
  }

  /** The version that the agent has printed in its first output. */
  get version(): string | undefined {
    return this.#versionFinder.version;
  }

  /** Each stream has its own lines. */
  addStream(name: OutputName): OutputStream {
    const { level, dialect, pattern, onText, onDropped } = this.#options;
    const stream = new ErrorTexts({
      level,
      dialect,
      pattern,
      now: () => performance.now(),
      onChunk: (chunk) => this.#versionFinder.push(chunk),
      onText,
      onDropped,
    });
    this.#streams.push(stream);
    const last = new LastOutput();
    this.#lastOutputs.push({ name, last });
    const backlog = this.#backlog;
    return {
      push(chunk) {
        last.push(chunk);
        backlog.push(stream, chunk);
      },
      get isBehind() {
        return backlog.bytes > maxBacklogBytes / 8;
      },
    };
  }

  /** What the agent printed last, whether it was read or skipped. */
  get lastLines(): LastLines {
    const linesOf = (name: OutputName) =>
      this.#lastOutputs.flatMap((one) => (one.name === name ? one.last.lines : []));
    return { stderr: linesOf('stderr'), stdout: linesOf('stdout'), logFiles: linesOf('logFiles') };
  }

  /** Resolves when all output so far was read. */
  whenRead(): Promise<void> {
    return this.#backlog.whenEmpty();
  }

  /** The output has ended. Resolves when all of it was read. */
  async end(): Promise<void> {
    for (const stream of this.#streams) this.#backlog.end(stream);
    await this.#backlog.whenEmpty();
  }

  #countSlowStep(): void {
    this.#options.onDropped();
    this.#slowSteps += 1;
    if (this.#slowSteps !== maxSlowSteps) return;
    for (const stream of this.#streams) stream.stop();
    this.#options.tell(
      `--pattern took longer than ${maxPatternMilliseconds} ms for a line, ${maxSlowSteps} times. It is not used any more in this run, so no more errors are found. Simplify it: avoid repetitions within repetitions.`,
    );
  }
}
