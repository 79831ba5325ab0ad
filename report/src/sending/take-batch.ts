import type { SpooledError } from '../state/spooled-error.ts';

const maxTexts = 100;
/** The service always accepts bodies of up to 64 KiB; it accepts larger ones only while it has memory for them. */
const maxBytes = 60_000;
const bytesAroundText = '{"error":},'.length;

/** The first errors of a list, as many as fit into one request; at least one if the list is not empty. */
export function takeBatch(errors: readonly SpooledError[]): SpooledError[] {
  const batch: SpooledError[] = [];
  let bytes = 2;
  for (const error of errors) {
    bytes += Buffer.byteLength(JSON.stringify(error.text)) + bytesAroundText;
    if (batch.length > 0 && (bytes > maxBytes || batch.length >= maxTexts)) break;
    batch.push(error);
  }
  return batch;
}
