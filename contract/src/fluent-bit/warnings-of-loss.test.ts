import { describe, expect, it } from 'vitest';
import { isWarningOfLoss, warningsOfLoss } from './warnings-of-loss.ts';

/** A warning of each kind, as Fluent Bit 5.1 prints it, in the order of the list. */
const examples: readonly (readonly string[])[] = [
  [
    '[input] dummy.0 paused (mem buf overlimit - event of size 103B exceeded limit 1000 to 1030B)',
    '[input] tail.0 paused (storage buf overlimit 128/128)',
    '[input] http.0 paused (rate gate limit exceeded)',
  ],
  [
    "[input chunk] chunk '1-1795220947.322832545.flb' evicted from output queue to make room under storage.total_limit_size: task_id=0, input=dummy.0 > output=es.0 (out_id=0), bytes=4096, limit=8192",
    "[storage backlog] chunk '1-1795220947.322832545.flb' evicted from output queue to make room under storage.total_limit_size: input=dummy.0 > output=es.0 (out_id=0), bytes=4096, limit=8192",
  ],
  [
    'chunk validation failed, data might be corrupted. Found 3 valid records, failed content starts right after byte 312. Recovering valid records.',
  ],
  [
    "[engine] retry for chunk '1-1795220947.322832545.flb' could not be scheduled: input=dummy.0 > output=es.0",
  ],
  ["[net] getaddrinfo(host='no-such-host.invalid', err=4): Domain name not found"],
  ["[parser:nginx] invalid time format %d/%b/%Y:%H:%M:%S %z for '2026-11-21'"],
  [
    '[output:splunk:splunk.0] http_status=403:\n{"text":"Invalid token","code":4}',
    '[output:splunk:logs] http_status=400',
    '[output:stackdriver:stackdriver.0] tag=app error sending to Cloud Logging: {',
  ],
  ['[output:kafka:kafka.0] message delivery failed: Local: Message timed out'],
  [
    '[output:kinesis_streams:kinesis_streams.0] [size=1100000] Discarding record which is larger than max size allowed by Kinesis, stream',
    '[output:file:file.0] dropping record: the path is not allowed',
    '[output:s3:s3.0] Chunk for tag app failed to send 5/5 times, will not retry',
  ],
  [
    '[input:tail:tail.0] file=/var/log/app.log have long lines. Skipping long lines.',
    '[input:tail:tail.0] multiline message truncated due to buffer limit',
    '[input:tail:tail.0] purged rotated file while data ingestion is paused, consider increasing rotate_wait',
    '[filter:multiline:multiline.0] multiline message truncated due to buffer limit',
  ],
  [
    "[input:tcp:tcp.0] fd=31 incoming data exceeds 'Buffer_Size' (64 KB)",
    '[input:forward:forward.0] fd=31 incoming data exceed limit (6144000 bytes)',
    '[input:forward:forward.0] could not ingest Forward message: -1',
    '[input:http:http.0] invalid JSON message, skipping',
    "[input:syslog:syslog.0] error parsing log message with parser 'syslog-rfc5424'",
  ],
  [
    "[filter:multiline:multiline.0] Couldn't send concatenated record of size 200 bytes to in_emitter emitter_for_multiline.0",
  ],
];

describe('the warnings of loss', () => {
  it.each(warningsOfLoss.map(({ pattern }, index) => [pattern, examples[index] ?? []] as const))(
    'recognise what %s is for, and no other entry does',
    (pattern, lines) => {
      expect(lines).not.toEqual([]);
      for (const line of lines)
        expect([line, matching(line), isWarningOfLoss(line)]).toEqual([line, [pattern], true]);
    },
  );

  it.each([
    // A single try: an error follows when the last one fails.
    "[engine] failed to flush chunk '1-1795220947.322832545.flb', retry in 8 seconds: task_id=0, input=dummy.0 > output=es.0 (out_id=0)",
    '[output:splunk:splunk.0] http_status=503',
    '[output:splunk:splunk.0] http_status=429',
    '[output:splunk:splunk.0] http_status=408',
    '[output:es:es.0] http_do=-1 URI=/_bulk',
    // The custom plugin talks to the server that would get the report.
    '[output:calyptia:calyptia.0] http_status=403:\n{"title":"Forbidden"}',
    // Nothing is lost.
    '[engine] service will shutdown in max 5 seconds',
    '[input] pausing dummy.0',
    '[input:tail:tail.0] error scanning path: /nonexistent/dir/*.log',
  ])('leave out: %s', (line) => {
    expect(isWarningOfLoss(line)).toBe(false);
  });

  it('name each loss in one line', () => {
    for (const { loss } of warningsOfLoss) expect(loss).toMatch(/^[A-Z][^\n]+\.$/);
  });
});

function matching(line: string): string[] {
  return warningsOfLoss.flatMap(({ pattern }) => (new RegExp(pattern, 'm').test(line) ? [pattern] : []));
}
