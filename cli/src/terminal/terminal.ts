import type { Readable } from 'node:stream';

/** The part of an output stream that is used. */
export interface TextOutput {
  readonly isTTY?: boolean | undefined;
  /** Width in characters, if it is a terminal that reports one. */
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** Everything that one run of the command gets from its environment, passed in so that tests control it. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** For data only. */
  readonly stdout: TextOutput;
  /** For everything else: notes, progress, prompts, errors. */
  readonly stderr: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly homeDirectory: string;
  /** The shell command that runs this program, in the folder of the person. */
  ownCommand(): string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls the function at this interval, until the returned function is called. */
  every(milliseconds: number, work: () => void): () => void;
  /** True once stdout is closed by its reader, as by `| head`. */
  isOutputClosed(): boolean;
  /** Returns a signal for Ctrl-C and SIGTERM, which then no longer end the process. */
  onInterrupt(): AbortSignal;
}

/** True if the user can be asked. */
export function canPrompt({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Colour only on a terminal, and never with NO_COLOR (https://no-color.org). */
export function wantsColor(output: TextOutput, env: Terminal['env']): boolean {
  return output.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
}

const usualColumns = 80;

/** The width of the terminal; undefined if the output is not a terminal, so that lines may have any length. */
export function widthOf({ isTTY, columns = 0 }: TextOutput): number | undefined {
  if (isTTY !== true) return undefined;
  return columns > 0 ? columns : usualColumns;
}
