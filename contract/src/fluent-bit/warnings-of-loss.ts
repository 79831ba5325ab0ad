/** A warning by which Fluent Bit says that data, or a part of it, is lost or not taken. */
export interface WarningOfLoss {
  /** Finds the warning in its text without time and level. It means the same in Onigmo, for Fluent Bit, and in JavaScript with the flag `m`. */
  readonly pattern: string;
  /** What is lost, in one line. */
  readonly loss: string;
}

/**
 * The warnings of Fluent Bit 5.1 that are reported like errors, because no error follows them. Warnings about a single try are not
 * in the list: an error follows when the last try fails.
 */
export const warningsOfLoss: readonly WarningOfLoss[] = [
  {
    pattern: '^\\[input\\] \\S+ paused \\(',
    loss: 'An input is paused, because its buffer or its rate reached a limit. What comes by network meanwhile is lost.',
  },
  {
    pattern: ' evicted from output queue to make room under storage\\.total_limit_size',
    loss: 'Data on disk was deleted, because the storage of an output is full.',
  },
  {
    pattern: 'chunk validation failed, data might be corrupted',
    loss: 'A part of a chunk cannot be read.',
  },
  {
    pattern: '^\\[engine\\] retry for chunk .+ could not be scheduled',
    loss: 'A chunk is not tried again.',
  },
  {
    pattern: '^\\[net\\] getaddrinfo\\(host=',
    loss: 'The name of a destination has no address.',
  },
  {
    pattern: '^\\[parser:[^\\]]+\\] invalid time format ',
    loss: 'A time cannot be parsed. The record has the time at which it was read.',
  },
  {
    pattern:
      '^\\[output:(splunk|stackdriver):[^\\]]+\\] (http_status=4(?!08|29)|.*error sending to Cloud Logging)',
    loss: 'The destination refused data, and the output does not try again.',
  },
  {
    pattern: '^\\[output:kafka:[^\\]]+\\] message delivery failed',
    loss: 'Kafka did not take a message.',
  },
  {
    pattern: '^\\[output:[^\\]]+\\] .*(Discarding |dropping record|will not retry)',
    loss: 'An output dropped records that are too large, or that failed too often.',
  },
  {
    pattern:
      '^\\[(input:tail|filter:multiline):[^\\]]+\\] .*(Skipping long lines|truncated due to buffer limit|purged rotated file)',
    loss: 'Lines were skipped or cut, or a file was rotated away before it was read.',
  },
  {
    pattern:
      '^\\[input:[^\\]]+\\] .*(incoming data exceed|could not ingest|, skipping|error parsing log message)',
    loss: 'An input refused or skipped what it received.',
  },
  {
    pattern: "^\\[filter:multiline:[^\\]]+\\] Couldn't send concatenated record",
    loss: 'A joined record was lost.',
  },
];

const anyWarningOfLoss = new RegExp(warningsOfLoss.map(({ pattern }) => `(?:${pattern})`).join('|'), 'm');

/** Whether a warning, given without its time and level, says that data is lost. */
export function isWarningOfLoss(text: string): boolean {
  return anyWarningOfLoss.test(text);
}
