import type { FastifyBaseLogger } from 'fastify';

const intervalMilliseconds = 10_000;

/** A warning about what may happen thousands of times a second: a line when it begins, then one sum for each interval. */
export class SummedWarning {
  readonly #logger: Pick<FastifyBaseLogger, 'warn'>;
  readonly #message: string;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(logger: Pick<FastifyBaseLogger, 'warn'>, message: string) {
    this.#logger = logger;
    this.#message = message;
  }

  note(): void {
    this.#count += 1;
    if (this.#timer === undefined) this.#tell();
  }

  #tell(): void {
    this.#logger.warn({ count: this.#count }, this.#message);
    this.#count = 0;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#count > 0) this.#tell();
    }, intervalMilliseconds).unref();
  }
}
