import type { SpooledError } from '../state/spooled-error.ts';

const maxTexts = 100;
/** The service takes bodies of 64 KiB at any time; larger ones only while it has room for them. */
const maxBytes = 60_000;
const bytesAroundText = '{"error":},'.length;

/** The first errors of a list that go into one request; at least one, when there is one. */
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
