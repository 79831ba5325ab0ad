import { type Page, type PageOf, toPageWithin } from '../foundation/list-page.ts';
import type { AgentErrorRow } from './agent-error-store.ts';

/** Maximum size of a page with more than one error, as of other lists with large rows. */
const maxPageBytes = 4 * 1024 * 1024;
/** Bytes that an error takes in the answer besides its texts, rounded up. */
const otherBytes = 700;

/** A page of errors. It ends early if the errors exceed the maximum size of a page in the answer, where a control character takes six bytes. */
export function toPageOfErrors(rowsAndOneMore: readonly AgentErrorRow[], page: Page): PageOf<AgentErrorRow> {
  return toPageWithin(
    rowsAndOneMore,
    page,
    maxPageBytes,
    ({ error, dismiss_reason: reason }) => otherBytes + bytesInJson(error) + bytesInJson(reason ?? ''),
  );
}

function bytesInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
