import type { FastifyBaseLogger } from 'fastify';
import { addressOf, type Sender } from './authentication/sender.ts';
import { logsEveryAnswer } from './logs-every-answer.ts';
import { SummedRefusals } from './summed-refusals.ts';

/** Anyone can send requests without a credential, as often as they like. */
const maxLinesWithoutCredential = 1;
const maxLines = 100;

interface RefusedRequest {
  readonly log: Pick<FastifyBaseLogger, 'info'>;
  readonly status: number;
  readonly sender: Sender;
  readonly hasCredential: boolean;
  /** Other fields of the line. */
  readonly fields: object;
}

/**
 * Logs a line for each refused request with the address of its client. Limits the number of lines per 4xx status, so that a flood neither fills the
 * log nor hides other lines.
 */
export class RefusalLog {
  readonly #logger: FastifyBaseLogger;
  readonly #isBounded: boolean;
  readonly #withoutCredential: SummedRefusals;
  readonly #byStatus = new Map<number, SummedRefusals>();

  constructor(logger: FastifyBaseLogger) {
    this.#logger = logger;
    this.#isBounded = !logsEveryAnswer(logger.level);
    this.#withoutCredential = new SummedRefusals({
      logger,
      fields: { status: 401 },
      message: 'requests without a credential were refused',
      maxLines: maxLinesWithoutCredential,
    });
  }

  note({ log, status, sender, hasCredential, fields }: RefusedRequest): void {
    if (this.#isBounded && status < 500) {
      const isWithoutCredential = status === 401 && !hasCredential;
      const refusals = isWithoutCredential ? this.#withoutCredential : this.#ofStatus(status);
      if (!refusals.hasOwnLine(addressOf(sender))) return;
    }
    const address = sender.ip ?? sender.socket.remoteAddress;
    log.info({ ...fields, status, address }, 'answered');
  }

  #ofStatus(status: number): SummedRefusals {
    const known = this.#byStatus.get(status);
    if (known !== undefined) return known;
    const refusals = new SummedRefusals({
      logger: this.#logger,
      fields: { status },
      message: `more than ${maxLines} requests were refused within 10 s: the others are summed up here`,
      maxLines,
    });
    this.#byStatus.set(status, refusals);
    return refusals;
  }
}
