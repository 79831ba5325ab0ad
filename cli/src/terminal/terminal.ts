import type { Readable } from 'node:stream';

/** As much of an output stream as is used. */
export interface TextOutput {
  readonly isTTY?: boolean | undefined;
  /** Width in characters, where it is a terminal that tells one. */
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** The world around one run of the command, passed in so that tests own it. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Data alone. */
  readonly stdout: TextOutput;
  /** Everything else: notes, progress, prompts, faults. */
  readonly stderr: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly homeDirectory: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** True once nobody reads stdout any more, as after `| head`. */
  isOutputClosed(): boolean;
  /** Asks for Ctrl-C and SIGTERM to be told instead of ending the process. */
  onInterrupt(): AbortSignal;
}

/** True when a person can be asked. */
export function canPrompt({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Colour only on a terminal, and never with NO_COLOR (https://no-color.org). */
export function wantsColor(output: TextOutput, env: Terminal['env']): boolean {
  return output.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
}

const usualColumns = 80;

/** The width of the terminal; undefined where the output is none and lines may have any length. */
export function widthOf({ isTTY, columns = 0 }: TextOutput): number | undefined {
  if (isTTY !== true) return undefined;
  return columns > 0 ? columns : usualColumns;
}
