import { grants } from '@muster/contract';

/** The kind of value that a flag or an argument takes. */
export type Values =
  /** Has no candidates: a name, an id, a number. */
  | { readonly kind: 'text' }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Some of the words, separated by commas. */
  | { readonly kind: 'list'; readonly words: readonly string[] }
  | { readonly kind: 'file' }
  /** A directory after a fixed prefix such as `sqlite:`. */
  | { readonly kind: 'directory'; readonly prefix: string }
  /** One of the user's profiles, read from their files. */
  | { readonly kind: 'profile' }
  /** A command line of another program. */
  | { readonly kind: 'command' };

/**
 * The kind of value that a placeholder stands for, such as `file` in `--config <file>`.
 *
 * @param choices the allowed values, if the command lists them
 */
export function valuesOf(placeholder: string, choices: readonly string[] | undefined): Values {
  if (choices !== undefined) return { kind: 'words', words: choices };
  switch (placeholder) {
    case 'file':
    case 'backup':
      return { kind: 'file' };
    case 'directory':
      return { kind: 'directory', prefix: '' };
    case 'sqlite:directory':
      return { kind: 'directory', prefix: 'sqlite:' };
    case 'permission':
      return { kind: 'list', words: grants };
    case 'level':
      return { kind: 'words', words: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] };
    case 'format':
      return { kind: 'words', words: ['json', 'text'] };
    case 'streams':
      return { kind: 'words', words: ['stderr', 'stdout', 'both'] };
    case 'agent':
      return { kind: 'command' };
    default:
      return { kind: 'text' };
  }
}
