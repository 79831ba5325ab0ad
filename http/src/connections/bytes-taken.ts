import type { Socket } from 'node:net';

/** Bytes of a connection that the system has taken so far. Only the handle knows it within one large write, which Node counts as a whole. */
export function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
  }; // not in the types
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0);
}
