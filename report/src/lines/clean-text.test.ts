import { describe, expect, it } from 'vitest';
import { cleanText } from './clean-text.ts';

describe('cleanText', () => {
  it.each([
    [
      "[engine] chunk '15071-1795220971.323253476.flb' cannot be retried: task_id=9, input=dummy.0 > output=es.0",
      "[engine] chunk '<chunk>' cannot be retried: task_id=<n>, input=dummy.0 > output=es.0",
    ],
    [
      'retry_times=3 chunk="5f1c0a9d8e7b6a5f4c3d2e1f0a9b8c7d" failed',
      'retry_times=<n> chunk="<chunk>" failed',
    ],
    ['[fluent bit] pid=15023 (process 15023) failed', '[fluent bit] pid=<n> (process <n>) failed'],
    ['at 2026-11-21T00:29:30.386Z and 2026/11/21 00:29:30', 'at <time> and <time>'],
    ['connection #17 to 10.0.0.1:9200 broke, fd=31', 'connection #<n> to 10.0.0.1:9200 broke, fd=<n>'],
    [
      'read tcp 10.0.0.5:43512->10.0.0.1:4317: connection reset by peer',
      'read tcp 10.0.0.5:<port>->10.0.0.1:4317: connection reset by peer',
    ],
    ['read tcp [::1]:43512->[::1]:4317: EOF', 'read tcp [::1]:<port>->[::1]:4317: EOF'],
    ['retry in 6 seconds; will retry after 5.3s', 'retry in <n> seconds; will retry after <n> s'],
    ['took "elapsed": 12, elapsed=1m3.2s', 'took "elapsed": <n>, elapsed=<duration>'],
    ['request 0f8fad5b-d9cb-469f-a165-70867728950e failed', 'request <uuid> failed'],
    [
      '{"status":401,"request_id":"req-1420","span":"span_7"}',
      '{"status":401,"request_id":"req-<n>","span":"span_<n>"}',
    ],
    ['goroutine 17 [running]: main.f(0xc000012345)', 'goroutine <n> [running]: main.f(<address>)'],
    ["thread 'main' (4711) panicked", "thread 'main' (<n>) panicked"],
    ['failed at 1795220971.32', 'failed at <n>'],
    ['failed. error_type="x" internal_log_rate_limit=true', 'failed. error_type="x"'],
    ['a\u0000b\u0007c\td\ne', 'abc\td\ne'],
  ])('cleans %j', (text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
    expect(cleanText(cleaned)).toBe(cleaned);
  });

  it.each([
    '[output:es:es.0] HTTP status=401 URI=/_bulk',
    '[downstream] could not bind address 127.0.0.1:24999. Aborting',
    '[/src/fluent-bit/src/config_format/flb_cf_fluentbit.c:289 errno=2] No such file or directory',
    '[config] invalid YAML in file bad-yaml.yaml at line 5, column 3',
    'no route to 10.1.2.3:9200, port 24224, v2.1',
    'no route to kafka-2, node-17 and http-1',
  ])('does not change %j, which is the same each time', (text) => {
    expect(cleanText(text)).toBe(text);
  });

  it.each(['1-', '2026-11-21 ', 'pid=', '0x', 'in 1 ', '1m', ':1->', '[a-f'])(
    'takes linear time for %j',
    (piece) => {
      // Quadratic work would exceed the time limit of the test many times over.
      cleanText(piece.repeat(1_048_576 / piece.length));
    },
  );
});
