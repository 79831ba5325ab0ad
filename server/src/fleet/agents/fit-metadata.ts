/** The metadata to store, and whether fields were left out. */
interface FittedMetadata {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly isCut: boolean;
}

/**
 * Leaves out the fields that do not fit, in their order, and keeps the others whole. Metadata is never refused, because an agent whose update is
 * refused may send nothing more until it is restarted.
 *
 * @param maxBytes maximum size of the metadata as JSON in UTF-8; 0 means no limit.
 */
export function fitMetadata(metadata: Readonly<Record<string, unknown>>, maxBytes: number): FittedMetadata {
  if (maxBytes === 0 || bytesOf(metadata) <= maxBytes) return { metadata, isCut: false };
  const kept: [string, unknown][] = [];
  let room = maxBytes - '{}'.length;
  for (const [name, value] of Object.entries(metadata)) {
    // Including the comma before it, except for the first one.
    const bytes = bytesOf({ [name]: value }) - '{}'.length + (kept.length === 0 ? 0 : 1);
    if (bytes > room) continue;
    kept.push([name, value]);
    room -= bytes;
  }
  return { metadata: Object.fromEntries(kept), isCut: true };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
