import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Aborts when a client has closed its connection. A client that has closed only its own half, and still reads the
 * answer, cannot be told apart until something is sent: a caller that stops on this signal still has to answer.
 */
export function hangUpSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const { socket } = request.raw;
  return socket.readableEnded ? AbortSignal.abort() : signalOf(request, reply, ['end', 'close']);
}

/** Aborted when nobody can take the answer any more. A client that has closed its half of the connection still can. */
export function brokenSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  return signalOf(request, reply, ['close']);
}

function signalOf(
  { raw: { socket } }: FastifyRequest,
  { raw }: FastifyReply,
  events: readonly ('end' | 'close')[],
): AbortSignal {
  if (socket.destroyed) return AbortSignal.abort();
  const controller = new AbortController();
  const onEnd = (): void => controller.abort();
  for (const event of events) socket.once(event, onEnd);
  // The connection may carry many requests more.
  raw.once('close', () => {
    for (const event of events) socket.off(event, onEnd);
  });
  return controller.signal;
}
