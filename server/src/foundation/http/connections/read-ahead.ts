import type { IncomingMessage, RequestListener } from 'node:http';
import { Readable } from 'node:stream';

/** The result of reading a request before the framework gets it. */
interface ReadAhead {
  /** The whole body, which cannot be read from the connection again. */
  readonly body: Buffer;
  /** The refusal, if the request was already handled: the route answers it and does not try again. */
  readonly failure: unknown;
}

/** Passes a request to the framework, untouched or with the body that was read. */
type PassOn = (readAhead?: ReadAhead) => void;

/** Answers a request ahead of the framework, or passes it on. */
export type RequestShortcut = (
  request: Parameters<RequestListener>[0],
  response: Parameters<RequestListener>[1],
  passOn: PassOn,
) => void;

/** Requests whose body was read ahead of the framework. */
export class ReadAheads {
  readonly #all = new WeakMap<IncomingMessage, ReadAhead>();

  /** Installs a shortcut before the framework's own handler. */
  before(handler: RequestListener, shortcut: RequestShortcut): RequestListener {
    return (request, response) => {
      shortcut(request, response, (readAhead) => {
        if (readAhead !== undefined) this.#all.set(request, readAhead);
        handler(request, response);
      });
    };
  }

  /** The body to parse, if it was already read from the connection. */
  bodyOf(request: IncomingMessage): Readable | undefined {
    const readAhead = this.#all.get(request);
    return readAhead && Readable.from([readAhead.body]);
  }

  failureOf(request: IncomingMessage): unknown {
    return this.#all.get(request)?.failure;
  }
}
