import { grants } from '@muster/contract';

/** What can be typed where a flag or a command takes something. */
export type Values =
  /** Nobody can say: a name, an id, a number. */
  | { readonly kind: 'text' }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Some of the words, with commas between them. */
  | { readonly kind: 'list'; readonly words: readonly string[] }
  | { readonly kind: 'file' }
  /** A directory, after a fixed beginning such as `sqlite:`. */
  | { readonly kind: 'directory'; readonly prefix: string }
  /** One of the user's profiles, read from their files. */
  | { readonly kind: 'profile' }
  /** A command line of another program. */
  | { readonly kind: 'command' };

/**
 * What takes the place of a placeholder, such as `file` in `--config <file>`.
 *
 * @param choices what it can be, where the command itself says so
 */
export function valuesOf(placeholder: string, choices: readonly string[] | undefined): Values {
  if (choices !== undefined) return { kind: 'words', words: choices };
  switch (placeholder) {
    case 'file':
      return { kind: 'file' };
    case 'directory':
      return { kind: 'directory', prefix: '' };
    case 'sqlite:directory':
      return { kind: 'directory', prefix: 'sqlite:' };
    case 'permission':
      return { kind: 'list', words: grants };
    case 'level':
      return { kind: 'words', words: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] };
    case 'streams':
      return { kind: 'words', words: ['stderr', 'stdout', 'both'] };
    case 'agent':
      return { kind: 'command' };
    default:
      return { kind: 'text' };
  }
}
