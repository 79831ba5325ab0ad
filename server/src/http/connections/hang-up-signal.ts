import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Aborted when a client has closed its connection. One that has closed only its half of it, and still takes the
 * answer, looks the same until something is sent: whoever gives up on this signal answers nevertheless.
 */
export function hangUpSignal({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): AbortSignal {
  if (socket.readableEnded || socket.destroyed) return AbortSignal.abort();
  const controller = new AbortController();
  const onEnd = (): void => controller.abort();
  socket.once('end', onEnd);
  socket.once('close', onEnd);
  // The connection may carry many requests more.
  raw.once('close', () => {
    socket.off('end', onEnd);
    socket.off('close', onEnd);
  });
  return controller.signal;
}
