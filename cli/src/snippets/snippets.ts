import { fluentBitSnippet } from './fluent-bit-snippet.ts';
import { fluentdSnippet } from './fluentd-snippet.ts';
import { otelcolSnippet } from './otelcol-snippet.ts';
import type { SnippetTarget } from './snippet-target.ts';
import { vectorSnippet } from './vector-snippet.ts';

export const snippetNames = ['fluent-bit', 'fluentd', 'vector', 'otelcol'] as const;

export type SnippetName = (typeof snippetNames)[number];

/** Configurations with which stock agents report their own errors, by program. */
export const snippets: Readonly<Record<SnippetName, (target: SnippetTarget) => string>> = {
  'fluent-bit': fluentBitSnippet,
  fluentd: fluentdSnippet,
  vector: vectorSnippet,
  otelcol: otelcolSnippet,
};
