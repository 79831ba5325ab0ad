import type { Completion } from './complete.ts';

/**
 * The format that the shell scripts read: the first line is the kind, the second its parameter. For `words`, each
 * further line is a word, a tab and its summary.
 *
 * | kind | second line |
 * |---|---|
 * | `words` | `nospace` if the word is incomplete |
 * | `files`, `directories` | the text before the name in the same word |
 * | `command` | the index of the word at which the other program's command line begins |
 */
export function printCompletion(completion: Completion): string {
  switch (completion.kind) {
    case 'words':
      return [
        'words',
        completion.isPartial ? 'nospace' : '',
        ...completion.words.map(({ text, summary }) => `${text}\t${summary}`),
        '',
      ].join('\n');
    case 'files':
    case 'directories':
      return `${completion.kind}\n${completion.before}\n`;
    case 'command':
      return `command\n${completion.start}\n`;
  }
}
