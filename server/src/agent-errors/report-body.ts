import type { IncomingHttpHeaders } from 'node:http';
import type { CreateAgentError } from '@muster/contract';
import { toTimestamp } from '../clock.ts';
import { cutErrorText } from './error-text.ts';
import type { AcceptedReport } from './report.ts';

export type ReportBody = CreateAgentError | readonly CreateAgentError[];

/**
 * Takes nothing of a report but its text, so that whatever else an agent adds is ignored and not validated; cut
 * where that is asked for. What is not a text is left to validation.
 */
export function takeTexts(body: unknown, isCut: boolean): unknown {
  return Array.isArray(body) ? body.map((report) => takeText(report, isCut)) : takeText(body, isCut);
}

export function textsOf(body: ReportBody): string[] {
  return 'error' in body ? [body.error] : body.map(({ error }) => error);
}

/** The value of the Muster-Agent-Error header. */
export function outcomeOf(accepted: readonly AcceptedReport[]): 'created' | 'ignored' {
  return accepted.some(({ kind }) => kind === 'created') ? 'created' : 'ignored';
}

/**
 * RFC 7240 section 4.2: who asks for it gets the status and no results. Fluent Bit does: an answer above 4096 bytes
 * is a failure to it, and it would send the same reports again.
 */
export function wantsNoResults({ prefer }: IncomingHttpHeaders): boolean {
  return typeof prefer === 'string' && /(^|,)\s*return\s*=\s*"?minimal"?\s*($|[,;])/i.test(prefer);
}

/** What an answer without results says about it. */
export const noResultsHeader = { name: 'Preference-Applied', value: 'return=minimal' } as const;

/** The answer as JSON. Written by hand: ids and times need no escaping, and this is what a storm gets. */
export function writeResults(body: ReportBody, accepted: readonly AcceptedReport[]): string {
  const results = accepted.map(
    ({ id, createdAt }) => `{"id":"${id}","createdAt":"${toTimestamp(createdAt)}"}`,
  );
  return 'error' in body ? results.join() : `[${results.join()}]`;
}

function takeText(report: unknown, isCut: boolean): unknown {
  if (typeof report !== 'object' || report === null || !('error' in report)) return report;
  const { error } = report;
  // Halves of surrogate pairs are refused later, and must not be cut away before.
  return {
    error: isCut && typeof error === 'string' && error.isWellFormed() ? cutErrorText(error) : error,
  };
}
