/** An error in the list of a queue row: what is counted, and the place of the error. */
export interface CreatedError {
  readonly place: bigint;
  readonly groupKey: number;
  readonly agentKey: number;
  readonly epoch: number;
  readonly isOpen: boolean;
  /** When it was reported, in milliseconds. */
  readonly seenAt: number;
}

/** The place and the time in 8 bytes each, then three keys and the state in 4 bytes each, all little-endian. */
export const errorBytes = 32;

/** The errors that one batch has stored, for a single row of the queue. */
export function packCreatedErrors(errors: readonly CreatedError[]): Uint8Array {
  const packed = Buffer.allocUnsafe(errors.length * errorBytes);
  let at = 0;
  for (const { place, groupKey, agentKey, epoch, isOpen, seenAt } of errors) {
    packed.writeBigInt64LE(place, at);
    packed.writeDoubleLE(seenAt, at + 8);
    packed.writeUInt32LE(groupKey, at + 16);
    packed.writeUInt32LE(agentKey, at + 20);
    packed.writeUInt32LE(epoch, at + 24);
    packed.writeUInt32LE(isOpen ? 1 : 0, at + 28);
    at += errorBytes;
  }
  return packed;
}

export function unpackCreatedErrors(bytes: Uint8Array): CreatedError[] {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const errors: CreatedError[] = [];
  for (let at = 0; at + errorBytes <= packed.length; at += errorBytes) {
    errors.push({
      place: packed.readBigInt64LE(at),
      seenAt: packed.readDoubleLE(at + 8),
      groupKey: packed.readUInt32LE(at + 16),
      agentKey: packed.readUInt32LE(at + 20),
      epoch: packed.readUInt32LE(at + 24),
      isOpen: packed.readUInt32LE(at + 28) === 1,
    });
  }
  return errors;
}
