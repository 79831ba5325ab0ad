import type { Socket } from 'node:net';

interface Held {
  readonly socket: Socket;
  readonly until: number;
}

const heldMilliseconds = 1_000;
const checkMilliseconds = 100;

/**
 * Connections from which nothing is read for a second. A refused client that ignores Retry-After and asks again at
 * once would cost as much as an accepted one; meanwhile the operating system buffers what it sends.
 */
export class HeldConnections {
  /** In the order in which they are released. */
  #held: Held[] = [];
  #timer: NodeJS.Timeout | undefined;

  hold(socket: Socket): void {
    socket.pause();
    this.#held.push({ socket, until: performance.now() + heldMilliseconds });
    this.#timer ??= setInterval(() => this.#release(), checkMilliseconds).unref();
  }

  #release(): void {
    const now = performance.now();
    const count = this.#held.findIndex(({ until }) => until > now);
    for (const { socket } of this.#held.splice(0, count < 0 ? this.#held.length : count)) socket.resume();
    if (this.#held.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
