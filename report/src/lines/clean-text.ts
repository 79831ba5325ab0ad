/**
 * Replaces the parts of an error that differ each time (times, process ids, names of chunks, numbers of connections and
 * of attempts), so that repeats are equal. Files, hosts, ports, status codes and errno stay.
 */
export function cleanText(text: string): string {
  const plain = text.replace(controlCharacters, '');
  return volatileParts.reduce((cleaned, [pattern, by]) => cleaned.replace(pattern, by), plain).trim();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed; line breaks and tabs stay.
const controlCharacters = /[\x00-\x08\x0b-\x1f\x7f\ufeff]/g;

/** Names before `=` or `:` whose number says when or how often something happened, not what. */
const volatileName = [
  ...['pid', 'ppid', 'tid', 'thread', 'thread_id', 'worker', 'worker_id', 'task_id', 'task', 'fd', 'socket'],
  ...[
    'conn',
    'conn_id',
    'connection',
    'connection_id',
    'request_id',
    'req_id',
    'stream_id',
    'seq',
    'sequence',
  ],
  ...[
    'trace_id',
    'span_id',
    'retry',
    'retries',
    'retry_times?',
    'retry_count',
    'attempts?',
    'inode',
    'offset',
  ],
  ...[
    'time',
    'ts',
    'timestamp',
    'elapsed',
    'duration',
    'took',
    'next_retry(?:_seconds|_time)?',
    'slow_flush_log_threshold',
  ],
  ...['records?', 'count', 'bytes', 'size', 'length', 'dropped_items', 'dropped', 'chunk_id', 'interval'],
].join('|');

const volatileParts: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/\b\d+-\d{10}\.\d+\.flb\b/g, '<chunk>'],
  [/\b(chunk(?:[ _]id)?[ =:]+)(["']?)[\da-f]{16,}\2/gi, '$1$2<chunk>$2'],
  [/\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z\b|UTC\b|[+-]\d\d:?\d\d\b))?/g, '<time>'],
  [/\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d\b/g, '<time>'],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '<uuid>'],
  [/\b0x[\da-f]+\b/gi, '<address>'],
  [/\b(?=[a-f]*\d)[\da-f]{24,}\b/gi, '<hex>'],
  // The client's port in `read tcp 10.0.0.5:43512->10.0.0.1:4317`.
  [/(\d|\]):\d{2,5}(?=->)/g, '$1:<port>'],
  // `req-1420`: names of requests. Other names, such as `kafka-2`, stay.
  [/\b(req(?:uest)?|resp(?:onse)?|trace|span|session|txn|transaction|correlation)([-_])\d+\b/gi, '$1$2<n>'],
  [/\bgoroutine \d+/g, 'goroutine <n>'],
  [/\bThreadId\(\d+\)/g, 'ThreadId(<n>)'],
  [/\b(thread '[^']*') \(\d+\)/g, '$1 (<n>)'],
  [/ internal_log_rate_(?:limit|secs)=\w+/g, ''],
  [
    new RegExp(
      String.raw`(\b(?:${volatileName})["']?\s?[=:]\s?["']?)[\d.]+(?:ns|us|µs|ms|s|m|h)?(?![\w.%/])`,
      'gi',
    ),
    '$1<n>',
  ],
  [
    /\b(pid|process|connection|conn|socket|fd|worker|thread|attempt|retry|try|request|task|stream)( (?:id )?#?|#)\d+\b/gi,
    '$1$2<n>',
  ],
  [
    /\b(in|after|for|took|within) \d+(?:\.\d+)? ?(m?s|secs?|seconds?|minutes?|milliseconds?)\b/gi,
    '$1 <n> $2',
  ],
  [/\b(event of size|exceeded limit \d+ to) \d+B\b/g, '$1 <n>B'],
  [/\b(?:\d+h)?(?:\d+m)?\d+\.\d+(?:ns|us|µs|ms|s)\b/g, '<duration>'],
  [/\b\d{10,}(?:\.\d+)?\b/g, '<n>'],
];
