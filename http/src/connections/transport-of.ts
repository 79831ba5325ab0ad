import type { Socket } from 'node:net';

/** The TCP connection below a TLS one; a TCP connection itself. Only it knows what the system has taken, and can be reset. */
export function transportOf(socket: Socket): Socket {
  const { _parent: parent } = socket as Socket & { readonly _parent?: Socket | null }; // not in the types
  return parent ?? socket;
}
