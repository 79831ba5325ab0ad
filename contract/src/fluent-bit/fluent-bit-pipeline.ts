import { foldCode } from './fluent-bit-fold.ts';
import { warningsOfLoss } from './warnings-of-loss.ts';

/** One section of a Fluent Bit configuration. A key may come more than once. */
export interface PipelineSection {
  readonly kind: 'input' | 'filter' | 'output';
  readonly properties: readonly (readonly [key: string, value: string])[];
}

/** The address that an agent reports to, and its credential. */
export interface PipelineTarget {
  readonly host: string;
  readonly port: string;
  readonly isEncrypted: boolean;
  readonly uri: string;
  /** Name and value; the value names a variable of the agent's environment. */
  readonly tokenHeader: string;
}

/**
 * The pipeline by which a stock Fluent Bit (5.1 or newer) reports its own errors. `docs/fluent-bit.md` shows it and
 * says why each part is there; `test/fluent-bit` replays it.
 */
export function fluentBitPipeline(target: PipelineTarget): PipelineSection[] {
  return [
    section('input', ['name', 'fluentbit_logs'], ['tag', 'muster']),
    section('filter', ['name', 'lua'], ['match', 'muster'], ['call', 'fold'], ['code', foldCode]),
    section(
      'filter',
      ['name', 'grep'],
      ['match', 'muster'],
      ...[...linesAboutReporting(target), linesWithoutName].map(
        (pattern) => ['exclude', `message ${pattern}`] as const,
      ),
    ),
    section(
      'filter',
      ['name', 'grep'],
      ['match', 'muster'],
      ['logical_op', 'or'],
      ['regex', 'level ^error$'],
      ...warningsOfLoss.map(({ pattern }) => ['regex', `message ${pattern}`] as const),
    ),
    section(
      'filter',
      ['name', 'modify'],
      ['match', 'muster'],
      ['rename', 'message error'],
      ['remove', 'level'],
    ),
    section(
      'output',
      ['name', 'http'],
      ['alias', 'muster'],
      ['match', 'muster'],
      ['host', target.host],
      ['port', target.port],
      ['tls', target.isEncrypted ? 'on' : 'off'],
      ['uri', target.uri],
      ['header', target.tokenHeader],
      ['header', 'Prefer return=minimal'],
      ['format', 'json'],
      ['json_date_key', 'false'],
      ['log_response_payload', 'off'],
      ['retry_limit', '5'],
    ),
  ];
}

/**
 * The pipeline by which a stock Fluent Bit says twice a minute that it runs. It needs nothing of the other one, but that one must not report the
 * lines about it. It must not set `flush_on_startup`: with `storage.path`, Fluent Bit 5.1.1 crashes a second after each start.
 */
export function fluentBitHeartbeat(target: PipelineTarget): PipelineSection[] {
  return [
    section(
      'input',
      ['name', 'dummy'],
      ['tag', 'muster_heartbeat'],
      ['dummy', '{"heartbeat":true}'],
      ['interval_sec', '30'],
    ),
    section(
      'output',
      ['name', 'http'],
      ['alias', 'muster_heartbeat'],
      ['match', 'muster_heartbeat'],
      ['host', target.host],
      ['port', target.port],
      ['tls', target.isEncrypted ? 'on' : 'off'],
      ['uri', target.uri],
      ['header', target.tokenHeader],
      ['format', 'json'],
      ['json_date_key', 'false'],
      ['log_response_payload', 'off'],
      ['retry_limit', 'no_retries'],
    ),
  ];
}

/**
 * Replaces the Lua filter in a build of Fluent Bit without Lua. `modify` can only set a fixed text, so each output
 * needs its own filter; the last filter handles all other lines.
 */
export function fluentBitFoldWithoutLua(outputs: readonly string[]): PipelineSection[] {
  const named = outputs.map((output) =>
    fixedText(
      `^\\[engine\\].+output=${escapePattern(output)}(\\s|$)`,
      `[engine] chunk cannot be retried: output=${output}`,
    ),
  );
  return [
    ...named,
    // Lines about reports keep the name of their output, because the filter after this one recognises them by it.
    fixedText("^\\[engine\\](?!.+output=muster).+chunk.'", '[engine] chunk cannot be retried'),
    fixedText('^\\[parser:.+nvalid.time.format', '[parser] invalid time format'),
  ];
}

/** A pattern without spaces, because `modify` splits its conditions at spaces. */
function fixedText(pattern: string, text: string): PipelineSection {
  return section(
    'filter',
    ['name', 'modify'],
    ['match', 'muster'],
    ['condition', `key_value_matches message ${pattern}`],
    ['set', `message "${text}"`],
  );
}

/** The lines that a failed report prints. If they were reported, each failed report would cause the next one. */
function linesAboutReporting({ host, port }: PipelineTarget): string[] {
  return [
    '^\\[output:http:muster(_heartbeat)?\\]',
    'output=muster(_heartbeat)?( |$)',
    // The name can be quoted, for example in a line about a host name that cannot be resolved.
    `${escapePattern(host)}(:${port}|')`,
    // These lines name a connection or an address, never the output.
    '^\\[(tls|upstream|http_client)\\]',
    '(openssl|flb_tls|flb_io|flb_network|flb_http_client)\\.c:\\d+ errno=',
  ];
}

/** A time that cannot be parsed prints two lines. This one has the time, the other one has the name of the parser. */
const linesWithoutName = "^\\[parser\\] cannot parse '";

function section(
  kind: PipelineSection['kind'],
  ...properties: (readonly [key: string, value: string])[]
): PipelineSection {
  return { kind, properties };
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
