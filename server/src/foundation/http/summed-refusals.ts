import type { FastifyBaseLogger } from 'fastify';

interface SummedRefusalsOptions {
  readonly logger: Pick<FastifyBaseLogger, 'info'>;
  /** Fields of the lines with sums. */
  readonly fields: object;
  readonly message: string;
  /** Number of refusals per interval that have their own line. */
  readonly maxLines: number;
}

const intervalMilliseconds = 10_000;
/** Maximum number of addresses in a line. */
const maxAddresses = 20;

/** Refusals of one kind: the first ones in ten seconds have their own lines, and all others share one line. */
export class SummedRefusals {
  readonly #options: SummedRefusalsOptions;
  #lines = 0;
  #count = 0;
  readonly #addresses = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SummedRefusalsOptions) {
    this.#options = options;
  }

  /** True if this refusal gets its own line; otherwise counts it here. */
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
    // While they continue, only the sums are logged.
    this.#lines = this.#options.maxLines;
    this.#timer = setTimeout(() => this.#endInterval(), intervalMilliseconds).unref();
  }
}
