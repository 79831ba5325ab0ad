import type { IncomingMessage, RequestListener } from 'node:http';
import { Readable } from 'node:stream';

/** What was done to a request before the framework gets it. */
interface ReadAhead {
  /** Its whole body, which cannot be read from the connection again. */
  readonly body: Buffer;
  /** What refused it, if it was tried already: the route answers that, and does not try again. */
  readonly failure: unknown;
}

/** Hands a request on to the framework, as it came or with what was read of it. */
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

  /** Puts a shortcut before the framework's own handler. */
  before(handler: RequestListener, shortcut: RequestShortcut): RequestListener {
    return (request, response) => {
      shortcut(request, response, (readAhead) => {
        if (readAhead !== undefined) this.#all.set(request, readAhead);
        handler(request, response);
      });
    };
  }

  /** The body to parse, where it cannot come from the connection any more. */
  bodyOf(request: IncomingMessage): Readable | undefined {
    const readAhead = this.#all.get(request);
    return readAhead && Readable.from([readAhead.body]);
  }

  failureOf(request: IncomingMessage): unknown {
    return this.#all.get(request)?.failure;
  }
}
