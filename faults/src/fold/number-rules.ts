import type { FoldRule } from './fold-rule.ts';

const decimal = String.raw`\d{1,40}(?:\.\d{1,40})?`;
const timeUnit = '(?:ns|us|µs|μs|ms|s|m|h|d)';
const timeWord = ' ?(?:(?:nano|micro|milli)?sec(?:ond)?s?|ms|s|min(?:ute)?s?|h(?:ou)?rs?|days?)';

/** Durations, sizes, versions and all other numbers. */
export const numberRules: readonly FoldRule[] = [
  {
    name: 'version, first a letter',
    start: 'letter',
    match: /v\d{1,5}\.\d{1,5}(?:\.\d{1,5}){1,2}(?:[-+][\w.+-]{0,63}\w)?(?![\w.]\w|\w)/,
    by: '<version>',
    example: {
      text: 'go.opentelemetry.io/collector/exporter@v0.96.0/exporter.go:81',
      pattern: 'go.opentelemetry.io/collector/exporter@<version>/exporter.go:<number>',
    },
  },
  {
    name: 'version, first a digit',
    start: 'digit',
    match: /\d{1,5}\.\d{1,5}(?:\.\d{1,5}){1,2}(?:[-+][\w.+-]{0,63}\w)?(?![\w.]\w|\w)/,
    by: '<version>',
    example: { text: '[fluent bit] version=5.1.1', pattern: '[fluent bit] version=<version>' },
  },
  {
    name: 'duration',
    start: 'digit',
    match: new RegExp(
      String.raw`(?:(?:${decimal}${timeUnit}){1,6}|${decimal}${timeWord})(?!\w)|(?<=\b(?:elapsed|took|duration|interval|next_retry(?:_seconds|_time)?)"?\s?[=:]\s?"?)${decimal}(?![\w.])`,
    ),
    by: '<duration>',
    example: {
      text: 'retry in 6 seconds, elapsed=1m3.2s',
      pattern: 'retry in <duration>, elapsed=<duration>',
    },
  },
  {
    name: 'size',
    start: 'digit',
    match: new RegExp(String.raw`${decimal}(?:[kKMGTP](?:i?[bB])?| ?(?:[kKMGTP]i?B|bytes?|octets|B))(?!\w)`),
    by: '<size>',
    example: { text: 'chunk of 2.5MB exceeds 1024 bytes', pattern: 'chunk of <size> exceeds <size>' },
  },
  {
    name: 'number of a thread or the like',
    start: 'digit',
    match:
      /(?<=\b(?:[tT]hread|[wW]orker|[pP]ool|conn|connection|task|consumer|producer|req|request|session|txn|correlation|batch|job|partition|shard|attempt|retry|goroutine)-)\d{1,20}(?!\w)/,
    by: '<number>',
    example: { text: "thread 'worker-3' panicked", pattern: "thread 'worker-<number>' panicked" },
  },
  {
    name: 'part of a name',
    start: 'digit',
    match: /(?<=[A-Za-z]-)\d{1,6}(?!\w|\.\d)/,
    example: {
      text: 'lookup kafka-2.example.com: no such host',
      pattern: 'lookup kafka-2.example.com: no such host',
    },
  },
  {
    name: 'name of a component',
    start: 'digit',
    match: /(?<=["'][a-z][a-z_]{0,40}\/)\d{1,3}(?=["'])/,
    example: {
      text: 'references exporter "otlp/2" which is not configured',
      pattern: 'references exporter "otlp/2" which is not configured',
    },
  },
  {
    name: 'number',
    start: 'digit',
    match: /\d{1,3}(?:,\d{3}){1,8}(?![\w,]|\.\d)|\d{1,100}(?:\.\d{1,100})?(?:[eE][+-]?\d{1,4})?(?!\w)/,
    by: '<number>',
    example: { text: 'line 12, column 4 of 1,234', pattern: 'line <number>, column <number> of <number>' },
  },
];
