import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { catalogues } from '../catalogue/catalogues.ts';
import { explainError } from './explain-error.ts';

const samples = new URL('../../../samples/fluent-bit/', import.meta.url);

describe('explainError', () => {
  it('explains what an error means, why it happens and what to do', () => {
    expect(
      explainError("[config] section 'dumy' tried to instance a plugin name that doesn't exist"),
    ).toEqual({
      id: 'fluent-bit/unknown-plugin',
      title: 'Unknown plugin',
      meaning: 'The configuration names a plugin that this Fluent Bit does not have, so it does not start.',
      causes: [
        'The name has a typing error.',
        'The plugin is not part of this build, or it belongs to another kind: an output is named as an input.',
      ],
      actions: [
        'Run `fluent-bit --help` to list the plugins of this build.',
        'Correct the `name` of the section.',
      ],
      link: 'https://docs.fluentbit.io/manual/administration/configuring-fluent-bit',
      suggestion: 'dummy',
    });
  });

  it('recognises every recorded error of a real Fluent Bit', () => {
    const lines = readdirSync(samples, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.log'))
      .flatMap((name) => readFileSync(new URL(name, samples), 'utf8').split('\n'))
      .filter((line) => line.includes('[error]'));
    const unknown = lines.filter((line) => explainError(line) === undefined);
    expect(lines.length).toBeGreaterThan(100);
    // This line only names the file of the error in the line before it.
    expect(unknown.map((line) => line.replace(/^\[.*?\] /, ''))).toEqual([
      '[error] file=/etc/fluent-bit/nosuch-parsers.conf',
    ]);
  });

  it.each([
    ['nothing is known of this'],
    [''],
    ['section tried to instance'],
    ["that doesn't exist [config] section 'dumy' tried to instance a plugin name"],
  ])('does not recognise %j', (text) => {
    expect(explainError(text)).toBeUndefined();
  });

  it.each([
    [
      "[config] section 'dumy' tried to instance a plugin name that don't exists",
      'fluent-bit/unknown-plugin',
    ],
    ['[tls] error: unexpected EOF with reason: certificate verify failed', 'fluent-bit/tls-verify'],
    [
      '[tls] certificate verification failed, reason: certificate has expired (X509 code: 10)',
      'fluent-bit/tls-verify',
    ],
    [
      '[net] connection #98 timeout after 10 seconds to: kubernetes.default.svc:443',
      'fluent-bit/connect-timeout',
    ],
    ['[net] socket #31 could not connect to es.example.com:9200', 'fluent-bit/connect-failed'],
    ['[filter] NO match rule for grep.0 filter instance, halting to reload.', 'fluent-bit/filter-no-match'],
  ])('recognises what other versions print: %s', (text, id) => {
    expect(explainError(text)?.id).toBe(id);
  });

  it('recognises texts that the service and muster report have shortened or redacted', () => {
    expect(
      explainError("[engine] chunk '<chunk>' cannot be retried: task_id=<n>, input=a.0 > output=b.0")?.id,
    ).toBe('fluent-bit/chunk-dropped');
  });

  it.each([
    ["[config] section 'elasticsaerch' tried to instance a plugin name that doesn't exist", 'elasticsearch'],
    ["[config] section 'xyz' tried to instance a plugin name that doesn't exist", undefined],
    ["[config] section 'TIAL' tried to instance a plugin name that doesn't exist", 'tail'],
    [
      "unknown configuration property 'rte'. The following properties are allowed: samples, rate, and tag.",
      'rate',
    ],
    [
      "unknown configuration property 'tagg'. The following properties are allowed: samples, rate, and tag.",
      'tag',
    ],
    [
      "unknown configuration property 'an'. The following properties are allowed: samples, rate, and tag.",
      undefined,
    ],
    ['unknown type: "lokki" for id: "lokki/2" (valid values: [debug loki otlp])', 'loki'],
    ["* '' has invalid keys: exportes, recievers\n\n* more", 'exporters'],
    ['unknown field `endpont`, expected one of `endpoint`, `auth`', 'endpoint'],
  ])('suggests for %j: %j', (text, suggestion) => {
    const explanation = explainError(text);
    expect(explanation).toBeDefined();
    expect(explanation?.suggestion).toBe(suggestion);
  });

  it('explains the cause if a text also contains the consequence', () => {
    const cause = 'transport: Error while dialing: dial tcp 10.0.0.1:4317: connect: connection refused';
    expect(
      explainError(`Exporting failed. Will retry the request after interval. error="${cause}"`)?.id,
    ).toBe('otelcol/connection-refused');
    expect(explainError(`no more retries left: ${cause}`)?.id).toBe('otelcol/connection-refused');
  });

  it('uses the catalogue of the type of the agent, and all catalogues for a type without one', () => {
    const text = 'dial tcp 10.0.0.1:4317: connect: connection refused';
    expect(explainError(text, 'otelcol')?.id).toBe('otelcol/connection-refused');
    expect(explainError(text, 'vector')).toBeUndefined();
    expect(explainError(text, 'my-agent')?.id).toBe('otelcol/connection-refused');
  });

  it('reads the beginning of a text of any length, and each pattern at most once', () => {
    const example = catalogues[0]?.sections[0]?.faults[0]?.example ?? '';
    const search = vi.spyOn(String.prototype, 'indexOf');
    try {
      expect(
        explainError(`${'path is given section plugin name '.repeat(100_000)}${example}`),
      ).toBeUndefined();
      expect(search.mock.calls.length).toBeLessThan(600);
    } finally {
      search.mockRestore();
    }
    expect(explainError(`${'x '.repeat(4_000)}${example}`)?.id).toBe('fluent-bit/unknown-plugin');
  });
});
