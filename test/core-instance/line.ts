import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * `cut`: no connection stays open. `hold`: nothing passes. `slow`: in pieces, with pauses. `midway`: each connection ends within an answer, which the
 * centre believes to have given.
 */
export type LineMode = 'pass' | 'cut' | 'hold' | 'slow' | 'midway';

const sliceBytes = 100;
const pauseMilliseconds = 5;
const bytesBeforeEnd = 60;

/** The line between a site and its centre, at the level of TCP. */
export class Line {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #mode: LineMode = 'pass';

  private constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => other.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
        socket.on('data', (bytes: Buffer) => {
          // Later bytes must not overtake slow ones.
          socket.pause();
          void this.#pass(bytes, other, socket === far).then(() => socket.resume());
        });
      }
      if (this.#mode === 'cut') near.destroy();
    });
  }

  static async to(port: number): Promise<Line> {
    const line = new Line(port);
    await new Promise<void>((resolve) => {
      line.#server.listen(0, '127.0.0.1', resolve);
    });
    return line;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // it listens on a port
    return `http://127.0.0.1:${port}`;
  }

  set mode(mode: LineMode) {
    this.#mode = mode;
    // What was held is lost, as on a real line.
    if (mode === 'cut' || mode === 'pass') for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  async #pass(bytes: Buffer, to: Socket, isAnswer: boolean): Promise<void> {
    switch (this.#mode) {
      case 'hold':
        return;
      case 'midway':
        if (!isAnswer) to.write(bytes);
        else to.write(bytes.subarray(0, bytesBeforeEnd), () => to.destroy());
        return;
      case 'slow':
        return writeSlowly(bytes, to);
      default:
        to.write(bytes);
    }
  }
}

async function writeSlowly(bytes: Buffer, to: Socket): Promise<void> {
  for (let from = 0; from < bytes.length && !to.destroyed; from += sliceBytes) {
    to.write(bytes.subarray(from, from + sliceBytes));
    await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
  }
}
