import { redactKnownSecrets } from '@muster/redaction';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { addressOf } from '../http/authentication/sender.ts';
import { SummedRefusals } from '../http/summed-refusals.ts';

import type { Reports } from './read-reports.ts';
import { textsOf } from './report-body.ts';

const maxLines = 100;

/** Logs a line for each request of which some reports were refused, because many agents log no answer. It never has a text. */
export class RefusedReports {
  readonly #sums: SummedRefusals;

  constructor(logger: FastifyBaseLogger) {
    this.#sums = new SummedRefusals({
      logger,
      fields: {},
      message: `more than ${maxLines} requests with refused reports came within 10 s: the others are summed up here`,
      maxLines,
    });
  }

  note(request: FastifyRequest, { body, refused }: Reports): void {
    const [first] = refused;
    if (first === undefined || !this.#sums.hasOwnLine(addressOf(request))) return;
    const { machineID, ...agent } = request.params as Readonly<Record<string, string>>; // the router gives texts
    request.log.info(
      {
        ...agent,
        ...(machineID === undefined ? {} : { machineID: redactKnownSecrets(machineID) }),
        code: first.refusal.code,
        index: first.index,
        refused: refused.length,
        accepted: textsOf(body).length,
      },
      'reports were refused',
    );
  }
}
