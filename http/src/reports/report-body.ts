import type { IncomingHttpHeaders } from 'node:http';
import type { CreateAgentError } from '@muster/contract';
import { writeTimestamp } from '../write-timestamp.ts';
import { cutErrorText } from './error-text.ts';

/** What is answered for one report: the error that now represents it, and whether the report created it. */
export interface AcceptedReport {
  readonly kind: 'created' | 'ignored';
  readonly id: string;
  /** Milliseconds. */
  readonly createdAt: number;
}

export type ReportBody = CreateAgentError | readonly CreateAgentError[];

/**
 * Extracts only the text of each report, so that other fields of an agent are ignored and not validated, and cuts it on request. A text of a wrong
 * type is kept for validation.
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
 * RFC 7240 section 4.2: true if the client wants the status without results. Fluent Bit does: it treats an answer above 4096 bytes as a failure and
 * would send the same reports again.
 */
export function wantsNoResults({ prefer }: IncomingHttpHeaders): boolean {
  return typeof prefer === 'string' && /(^|,)\s*return\s*=\s*"?minimal"?\s*($|[,;])/i.test(prefer);
}

/** The header of an answer without results. */
export const noResultsHeader = { name: 'Preference-Applied', value: 'return=minimal' } as const;

/**
 * The answer as JSON. It is concatenated for speed on the hot path; ids and times need no escaping.
 *
 * @param refusals of an array, what takes the place of the results of refused elements, in the order of `index`
 */
export function writeResults(
  body: ReportBody,
  accepted: readonly AcceptedReport[],
  refusals: readonly { readonly index: number; readonly json: string }[] = [],
): string {
  const results = accepted.map(
    ({ id, createdAt }) => `{"id":"${id}","createdAt":"${writeTimestamp(createdAt)}"}`,
  );
  for (const { index, json } of refusals) results.splice(index, 0, json);
  return 'error' in body ? results.join() : `[${results.join()}]`;
}

function takeText(report: unknown, isCut: boolean): unknown {
  if (typeof report !== 'object' || report === null || !('error' in report)) return report;
  const { error } = report;
  // Lone surrogates are refused later and must not be cut off before.
  return {
    error: isCut && typeof error === 'string' && error.isWellFormed() ? cutErrorText(error) : error,
  };
}
