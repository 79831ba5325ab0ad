import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** A proxy that connects to any port of this machine, whatever the name of the host is. */
export class ConnectProxy {
  /** The target and the credentials of each request, in order. */
  readonly asked: unknown[] = [];
  /** Other than 200: it refuses. */
  status = 200;
  readonly #server = createServer();

  static async start(): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor() {
    this.#server.on('connect', (request, socket) => {
      this.asked.push([request.url, request.headers['proxy-authorization']]);
      if (this.status !== 200) {
        socket.end(`HTTP/1.1 ${this.status} No\r\n\r\n`);
        return;
      }
      const onward = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
  }

  get url(): URL {
    return new URL(`http://user:p%40ss@127.0.0.1:${(this.#server.address() as AddressInfo).port}`); // it listens on TCP
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
