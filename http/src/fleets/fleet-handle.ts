import { createHmac } from 'node:crypto';

/** What the ids of agents of a fleet are made of: its number, with which they begin, and its key. */
export interface HandleMaker {
  /** 48 random bits, unique among all fleets. */
  readonly number: number;
  /** In hexadecimal digits. */
  readonly handleKey: string;
}

/**
 * An id with which one agent alone asks for the configuration of its fleet: a UUIDv8 (RFC 9562) of the number of the fleet, 50 random bits, and a code
 * that only the service and the core instances of its project can make. So nothing has to be stored for a search, and an invented id is refused.
 */
export function makeHandle(
  { number, handleKey }: HandleMaker,
  randomBytes: (size: number) => Uint8Array,
): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(number, 0, 6);
  bytes.set(randomBytes(7), 6);
  bytes[6] = 0x80 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  bytes.set(codeOf(bytes, handleKey), 13);
  return toText(bytes);
}

const handlePattern = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The number of the fleet in the id of an agent; undefined if it is no such id. Whether it was made with the key of that fleet is not checked. */
export function fleetNumberOf(id: string): number | undefined {
  return handlePattern.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}

/** True if the id was made with the key of the fleet. */
export function isHandleOf({ number, handleKey }: HandleMaker, id: string): boolean {
  if (fleetNumberOf(id) !== number) return false;
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  return bytes.subarray(13).equals(codeOf(bytes, handleKey));
}

function codeOf(bytes: Buffer, handleKey: string): Buffer {
  return createHmac('sha256', Buffer.from(handleKey, 'hex'))
    .update(bytes.subarray(0, 13))
    .digest()
    .subarray(0, 3);
}

function toText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
