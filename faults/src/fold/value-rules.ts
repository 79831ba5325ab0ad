import type { FoldRule } from './fold-rule.ts';

const announced = String.raw`\b(?:values?|parsing|got|tag|token|string|text|record|line|sequence|_id|document with id|tag_prefix|parser named|cannot parse|encoding failed|time format [^']{1,80} for)(?:["']? ?[:=]|["'])? ?`;

/** Characters of names, paths, hosts and templates; `<` and `>` of placeholders. */
const ordinary = String.raw`[\w./@$:%+*~,=<>\\-]`;

/** Values of records in quotation marks, and temporary files. Other quoted words are names (of plugins, of properties), and stay. */
export const valueRules: readonly FoldRule[] = [
  ...(
    [
      ['"', 'double'],
      ["'", 'single'],
    ] as const
  ).flatMap(([mark, kind]): FoldRule[] => {
    const by = `${mark}<value>${mark}`;
    return [
      {
        name: `announced value in ${kind} quotes`,
        start: 'quote',
        match: new RegExp(
          String.raw`${mark}(?<=${announced}${mark})(?!<value>)[^${mark}\n]{1,126}${mark}(?![\w<${mark}])`,
        ),
        by,
        example: {
          text: `cannot read the value ${mark}Alice in Chains${mark} as a number`,
          pattern: `cannot read the value ${by} as a number`,
        },
      },
      {
        name: `value in ${kind} quotes that is no name`,
        start: 'quote',
        match: new RegExp(
          String.raw`${mark}${ordinary}{0,126}[^\w\s./@$:%+*~,=<>\\"'\x60-][^\s"'\x60]{0,126}${mark}(?![\w<${mark}])`,
        ),
        by,
        example: {
          text: `could not compile regex pattern ${mark}[unclosed${mark}`,
          pattern: `could not compile regex pattern ${by}`,
        },
      },
    ];
  }),
  {
    name: 'temporary file',
    start: 'slash',
    match: /\/(?:tmp|var\/tmp|var\/folders|dev\/shm|private\/tmp)\/[^\s'"\x60,;:()[\]{}<>|*]{1,256}/,
    by: '<path>',
    example: {
      text: 'open /tmp/flb-84f2/x.sock: permission denied',
      pattern: 'open <path>: permission denied',
    },
  },
  {
    name: 'log file of a container',
    start: 'slash',
    match: /\/var\/log\/(?:containers|pods)\/[^\s'"\x60,;:()[\]{}<>|*]{1,256}(?=[\s'"\x60,;:()[\]{}<>|]|$)/,
    by: '<path>',
    example: {
      text: 'inotify error on /var/log/containers/web_default_web-0af3.log',
      pattern: 'inotify error on <path>',
    },
  },
];
