import type { FoldRule } from './fold-rule.ts';

const by = '<time>';

const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const clock = String.raw`\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?`;
const zone = String.raw`(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})(?!\w))?`;

/** Times and dates, in the formats of agents, servers and the programs around them. */
export const timeRules: readonly FoldRule[] = [
  {
    name: 'date and time',
    start: 'digit',
    match: new RegExp(String.raw`\d{4}[-/.]\d{2}[-/.]\d{2}(?:T| {1,2})${clock}${zone}(?!\w)`),
    by,
    example: {
      text: '[2026/11/22 10:00:00] [error] [input:tail:tail.0] read error at 2026-11-22T10:00:00.123Z',
      pattern: '[<time>] [error] [input:tail:tail.<number>] read error at <time>',
    },
  },
  {
    name: 'date',
    start: 'digit',
    match: /(?:19|20)\d{2}[-/.](?:0\d|1[0-2])[-/.](?:[0-2]\d|3[01])(?!\w)/,
    by,
    example: { text: 'index logs-2026.11.22 is closed', pattern: 'index logs-<time> is closed' },
  },
  {
    name: 'date of an access log',
    start: 'digit',
    match: new RegExp(String.raw`\d{1,2}[/ -]${month}[/ -]\d{4}(?:[: ]${clock}${zone})?(?!\w)`),
    by,
    example: { text: '[22/Nov/2026:10:00:00 +0000] refused', pattern: '[<time>] refused' },
  },
  {
    name: 'time of klog',
    start: 'letter',
    match: new RegExp(String.raw`[IWEF]\d{4} ${clock}(?!\w)`),
    by,
    example: {
      text: 'E1122 10:00:00.123456       1 reflector.go:147] failed to watch',
      pattern: '<time>       <number> reflector.go:<number>] failed to watch',
    },
  },
  {
    name: 'date in words',
    start: 'letter',
    match: new RegExp(
      String.raw`(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:${month} {1,2}\d{1,2}|\d{1,2} ${month}(?= \d{4}))(?:,? \d{4})? ${clock}${zone}(?: \d{4})?(?!\w)`,
    ),
    by,
    example: {
      text: 'Nov 22 10:00:00 web-01 sent on Sun, 22 Nov 2026 10:00:00 GMT',
      pattern: '<time> web-01 sent on <time>',
    },
  },
  {
    name: 'time of day',
    start: 'digit',
    match: new RegExp(String.raw`${clock}${zone}(?!\w)`),
    by,
    example: { text: 'no answer since 10:00:00.5', pattern: 'no answer since <time>' },
  },
  {
    name: 'Unix time',
    start: 'digit',
    match: /1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d{1,9})?(?![\w.])/,
    by,
    example: { text: 'record of 1795220980.323338713 is too old', pattern: 'record of <time> is too old' },
  },
];
