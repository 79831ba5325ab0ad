import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `pass`: passes requests to the service. `drop`: breaks the connection. `hold`: never answers. */
export type GateMode = 'pass' | 'drop' | 'hold';

/** A proxy in front of a service, with which a test can make it unreachable and reachable again. */
export class Gate {
  mode: GateMode = 'pass';
  /** Method and path of every request, in order. */
  readonly requests: string[] = [];
  /** Status and path of every answer that was passed back, in order. */
  readonly answers: string[] = [];
  readonly #server: Server;
  readonly #target: string;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((incoming, outgoing) => {
      const { method = '', url = '', headers } = incoming;
      this.requests.push(`${method} ${url}`);
      if (this.mode === 'hold') return;
      if (this.mode === 'drop') {
        incoming.socket.destroy();
        return;
      }
      const onward = request(this.#target + url, { method, headers }, (answer) => {
        this.answers.push(`${answer.statusCode} ${url}`);
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => incoming.socket.destroy());
      incoming.pipe(onward);
    });
  }

  static async before(target: string): Promise<Gate> {
    const gate = new Gate(target);
    await new Promise<void>((resolve) => {
      gate.#server.listen(0, '127.0.0.1', resolve);
    });
    return gate;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // it listens on a port
    return `http://127.0.0.1:${port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
