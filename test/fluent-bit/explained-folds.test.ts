import { fluentBitFoldWithoutLua, fluentBitPipeline, maxErrorLength } from '@muster/contract';
import { foldError } from '@muster/faults';
import { catalogues, explainError, type KnownFault } from '@muster/faults/explain';
import { redactErrorText } from '@muster/http/reports/error-text';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanText } from '../../report/src/lines/clean-text.ts';
import { cutText } from '../../report/src/lines/cut-text.ts';
import { createFilter, type Filter } from './filters.ts';

/** Undefined: the text is not sent. */
type Fold = (text: string) => string | undefined;

const faultsOf = (agent: string): readonly KnownFault[] =>
  catalogues
    .filter((one) => one.agent === agent)
    .flatMap(({ sections }) => sections.flatMap(({ faults }) => faults));

/** A text as it arrives through filters of Fluent Bit, long after the text before, of which the filters then remember nothing. */
function foldOf(filters: readonly Filter[]): Fold {
  let time = 0;
  return (text) => {
    time += 1_000;
    let record: ReadonlyMap<string, string> | undefined = new Map(
      Object.entries({ message: text, level: 'error' }),
    );
    for (const filter of filters) record = record && filter(record, time);
    return record?.get('message');
  };
}

const target = {
  host: 'muster.example.com',
  port: '443',
  isEncrypted: true,
  uri: '/v1/errors',
  tokenHeader: 'X-Project-Token $MUSTER_TOKEN',
};

let withLua: Fold;
let withoutLua: Fold;

beforeAll(async () => {
  const lua = fluentBitPipeline(target).filter(({ properties }) =>
    properties.some(([key, value]) => key === 'name' && value === 'lua'),
  );
  withLua = foldOf(await Promise.all(lua.map(createFilter)));
  withoutLua = foldOf(await Promise.all(fluentBitFoldWithoutLua(['es.0']).map(createFilter)));
});

const asStored = (text: string): string => redactErrorText(cutText(text));
/** How a text can be changed on its way, before the service groups it. */
const ways = (): Readonly<Record<string, Fold>> => ({
  'as it is': (text) => text,
  'by muster report': cleanText,
  'by the documented configuration': withLua,
});

/** The ids under which a text is known after each way, as stored and as a pattern. */
function idsOf(text: string): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(ways()).flatMap(([way, fold]) => {
      const sent = fold(text);
      if (sent === undefined) return [];
      const stored = asStored(sent);
      return [
        [way, explainError(stored)?.id],
        [`${way}, folded`, explainError(foldError(stored))?.id],
      ];
    }),
  );
}

function lostIn(agent: string, change: (text: string) => string): unknown[] {
  return faultsOf(agent).flatMap(({ id, example, repeat }) =>
    [example, ...(repeat === undefined ? [] : [repeat])].flatMap((text) => {
      const ids = idsOf(change(text));
      return Object.values(ids).every((found) => found === id) ? [] : [{ id, text: change(text), ids }];
    }),
  );
}

describe('an error of the catalogue', () => {
  it.each(['Fluent Bit', 'OpenTelemetry Collector', 'Vector'])('of %s is known after every fold', (agent) => {
    expect(faultsOf(agent).length).toBeGreaterThan(30);
    expect(lostIn(agent, (text) => text)).toEqual([]);
  });

  it('is known after every fold if it is followed by an answer that is too long', () => {
    const answer = `\n${'{"error":"the answer of the other side"}'.repeat(50)}`;
    expect(answer.length).toBeGreaterThan(maxErrorLength);
    expect(lostIn('Fluent Bit', (text) => `${text}${answer}`)).toEqual([]);
  });

  it('is a chunk that was given up in a build without Lua, which knows no more of it', () => {
    const ids = [
      "[engine] chunk '15071-1795220971.323253476.flb' cannot be retried: task_id=0, input=dummy.0 > output=es.0",
      "[engine] chunk '15071-1795220971.323253476.flb' cannot be retried: task_id=0, input=dummy.0 > output=loki.1",
    ].map((text) => explainError(foldError(asStored(withoutLua(text) ?? '')))?.id);
    expect(ids).toEqual(['fluent-bit/chunk-dropped', 'fluent-bit/chunk-dropped']);
  });

  it.each([
    [
      '[engine] chunk cannot be retried: output=es.0: [tls] error: error:0A00010B:SSL routines::wrong version number',
      'fluent-bit/tls-plain-port',
    ],
    [
      '[output:http:http.3] no upstream connections available to 127.0.0.1:21080: [tls] error: error:0A00010B:SSL routines::wrong version number',
      'fluent-bit/tls-plain-port',
    ],
    [
      "[output:loki:loki.5] no upstream connections available: [net] getaddrinfo(host='no-such-host.invalid', err=4): Domain name not found",
      'fluent-bit/dns-not-found',
    ],
    ['[engine] chunk cannot be retried: output=es.0', 'fluent-bit/chunk-dropped'],
    ['[engine] failed to flush chunk, retry follows: output=es.0', 'fluent-bit/chunk-retry'],
    ['[output:splunk:splunk.2] http_status=403:', 'fluent-bit/splunk-403'],
    ['[output:splunk:splunk.2] http_status=429', 'fluent-bit/splunk-5xx'],
    ['[input] dummy.0 paused (mem buf overlimit)', 'fluent-bit/mem-buf-limit'],
    ['[output:http:http.3] could not flush records to 127.0.0.1:21900 (http_do=-1)', 'fluent-bit/http-flush'],
    ['[http_client] response timeout reached (elapsed=60s, limit=60s)', 'fluent-bit/response-timeout'],
  ])('is known as a real agent sends it: %s', (text, id) => {
    expect(explainError(text)?.id).toBe(id);
    expect(explainError(foldError(text))?.id).toBe(id);
  });
});
