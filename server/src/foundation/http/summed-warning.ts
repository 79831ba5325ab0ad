import type { FastifyBaseLogger } from 'fastify';

const intervalMilliseconds = 10_000;

/** A warning about an event that may occur thousands of times per second: a line when it begins, then one sum per interval. */
export class SummedWarning {
  readonly #logger: Pick<FastifyBaseLogger, 'warn'>;
  readonly #message: string;
  #count = 0;
  #latest: object = {};
  #timer: NodeJS.Timeout | undefined;

  constructor(logger: Pick<FastifyBaseLogger, 'warn'>, message: string) {
    this.#logger = logger;
    this.#message = message;
  }

  /** @param latest fields of this event; a line has those of the last event. */
  note(latest: object = {}): void {
    this.#count += 1;
    this.#latest = latest;
    if (this.#timer === undefined) this.#tell();
  }

  #tell(): void {
    this.#logger.warn({ count: this.#count, ...this.#latest }, this.#message);
    this.#count = 0;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#count > 0) this.#tell();
    }, intervalMilliseconds).unref();
  }
}
