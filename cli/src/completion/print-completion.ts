import type { Completion } from './complete.ts';

/**
 * As the scripts of the shells read it: the first line tells the kind, the second one what belongs to it, and of words
 * each further line holds one, a tab and its summary.
 *
 * | kind | second line |
 * |---|---|
 * | `words` | `nospace` where something has to follow the word |
 * | `files`, `directories` | what stands before the name in the same word |
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
