import type { FastifyBaseLogger } from 'fastify';

interface SummedRefusalsOptions {
  readonly logger: Pick<FastifyBaseLogger, 'info'>;
  /** Fields that the lines of the sums have. */
  readonly fields: object;
  readonly message: string;
  /** Refusals in one interval that have a line each. */
  readonly maxLines: number;
}

const intervalMilliseconds = 10_000;
/** As many addresses are named in a line. */
const maxAddresses = 20;

/** Refusals of one kind: the first ones in ten seconds have a line each, and all others one line together. */
export class SummedRefusals {
  readonly #options: SummedRefusalsOptions;
  #lines = 0;
  #count = 0;
  readonly #addresses = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SummedRefusalsOptions) {
    this.#options = options;
  }

  /** Whether this refusal has a line of its own; otherwise it is counted here. */
  hasOwnLine(address: string): boolean {
    this.#timer ??= setTimeout(() => this.#endInterval(), intervalMilliseconds).unref();
    if (this.#lines < this.#options.maxLines) {
      this.#lines += 1;
      return true;
    }
    this.#count += 1;
    const count = this.#addresses.get(address);
    if (count !== undefined || this.#addresses.size < maxAddresses)
      this.#addresses.set(address, (count ?? 0) + 1);
    return false;
  }

  #endInterval(): void {
    this.#timer = undefined;
    if (this.#count === 0) {
      this.#lines = 0;
      return;
    }
    const { logger, fields, message } = this.#options;
    logger.info({ ...fields, count: this.#count, addresses: Object.fromEntries(this.#addresses) }, message);
    this.#count = 0;
    this.#addresses.clear();
    // While they go on, the sums alone tell of them.
    this.#lines = this.#options.maxLines;
    this.#timer = setTimeout(() => this.#endInterval(), intervalMilliseconds).unref();
  }
}
