import type { Readable } from 'node:stream';
import type { Screen } from './display.ts';

/** What `muster demo` was asked for. */
export interface Options {
  readonly agents: number;
  readonly url: URL;
  /** An access token, with which the demo makes a project of its own, or a project token. */
  readonly token: string;
  /** The token in the syntax of a shell, without the secret; with a comment if the reader has to fill it in. */
  readonly shellToken: string;
  /** The commands, without the program, after which it uses this server with that token; undefined: variables say so. */
  readonly signIn: readonly string[] | undefined;
  /** The shell command that runs `muster`. */
  readonly command: string;
  /** How long the demo takes; undefined: on a terminal, until its reader wants to go on. */
  readonly durationSeconds: number | undefined;
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Screen;
}

/** Where nobody can press Enter. */
export const defaultDurationSeconds = 60;
