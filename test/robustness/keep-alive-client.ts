import { RawConnection } from './raw-connection.ts';

/** Sends requests one after the other on one connection, until an answer closes it. */
export class KeepAliveClient {
  readonly #port: number;
  readonly #request: (count: number) => Buffer;
  answered = 0;
  /** Requests after which the connection closed without an answer. */
  unanswered = 0;
  saysThatItEnds = false;
  readonly statuses = new Set<number>();

  constructor(port: number, request: (count: number) => Buffer) {
    this.#port = port;
    this.#request = request;
  }

  async run(): Promise<void> {
    const connection = await RawConnection.open(this.#port);
    while (!this.saysThatItEnds) {
      connection.send(this.#request(this.answered));
      const answer = await connection.nextAnswer();
      if (answer === undefined) {
        this.unanswered += 1;
        return;
      }
      this.answered += 1;
      this.statuses.add(answer.status);
      this.saysThatItEnds = answer.headers.connection === 'close';
    }
    await connection.closed();
  }
}
