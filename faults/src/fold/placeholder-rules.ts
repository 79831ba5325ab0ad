import { afterFile, beforePort } from './address-rules.ts';
import type { FoldRule } from './fold-rule.ts';

/** `muster report` has replaced parts by placeholders of its own: the same cause has the same pattern with and without it. */
export const placeholderRules: readonly FoldRule[] = [
  {
    name: 'duration after report',
    start: 'placeholder',
    match:
      /(?:(?<=\b(?:elapsed|took|duration|interval|next_retry(?:_seconds|_time)?)"?\s?[=:]\s?"?)<n>|<n> ?(?:(?:nano|micro|milli)?sec(?:ond)?s?|ms|s|min(?:ute)?s?|h(?:ou)?rs?|days?)(?!\w)|<duration>)/,
    by: '<duration>',
    example: { text: 'retry in <n> seconds', pattern: 'retry in <duration>' },
  },
  {
    name: 'size after report',
    start: 'placeholder',
    match: /<n> ?(?:[kKMGTP]i?B|bytes?|octets|B)(?!\w)|<size>/,
    by: '<size>',
    example: { text: '<n> bytes are too many', pattern: '<size> are too many' },
  },
  {
    name: 'port after report',
    start: 'placeholder',
    match: new RegExp(`(?<=${beforePort})(?<!${afterFile})<n>|<port>`),
    by: '<port>',
    example: { text: 'cannot listen on port <n>', pattern: 'cannot listen on port <port>' },
  },
  {
    name: 'id after report',
    start: 'placeholder',
    match: /<(?:uuid|hex|id)>/,
    by: '<id>',
    example: { text: 'request <uuid> failed', pattern: 'request <id> failed' },
  },
  {
    name: 'number after report',
    start: 'placeholder',
    match: /<n>/,
    by: '<number>',
    example: { text: 'task_id=<n>', pattern: 'task_id=<number>' },
  },
  ...['number', 'time', 'address', 'version', 'chunk', 'path', 'pod', 'value'].map(
    (word): FoldRule => ({
      name: `${word} that is folded already`,
      start: 'placeholder',
      match: new RegExp(`<${word}>`),
      by: `<${word}>`,
      example: { text: `<${word}>, <${word}>`, pattern: `<${word}>` },
    }),
  ),
];
