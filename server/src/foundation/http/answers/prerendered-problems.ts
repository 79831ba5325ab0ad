import type { ServerResponse } from 'node:http';
import { problems } from '@muster/contract';
import { rawAnswerHeaders } from '@muster/http/answers/answer-headers';
import { problemMediaType, toProblem } from '@muster/http/answers/to-problem';
import type { Refusal } from '../../refusal.ts';

/** The place of the request id in a prerendered answer. */
const requestIDPlace = '{requestID}';

interface WrittenRefusal {
  readonly before: string;
  readonly after: string;
}

/**
 * Answers refusals before the framework, with the same bytes. Each kind of refusal is rendered once, because a storm
 * of refusals repeats a few kinds.
 */
export class PrerenderedProblems {
  readonly #written = new WeakMap<Refusal, WrittenRefusal>();

  /** @param onOut called when the answer has been sent */
  send(response: ServerResponse, requestID: string, refusal: Refusal, onOut?: () => void): void {
    const { before, after } = this.#write(refusal);
    const text = `${before}${requestID}${after}`;
    response.writeHead(problems[refusal.code].status, [
      'X-Request-Id',
      requestID,
      'Retry-After',
      String(Math.ceil(refusal.retryAfterSeconds ?? 1)),
      ...rawAnswerHeaders,
      'Content-Type',
      problemMediaType,
      'Content-Length',
      String(Buffer.byteLength(text)),
    ]);
    response.end(text, onOut);
  }

  #write(refusal: Refusal): WrittenRefusal {
    const known = this.#written.get(refusal);
    if (known !== undefined) return known;
    const text = JSON.stringify(toProblem(refusal.code, requestIDPlace, refusal.detail));
    const place = text.indexOf(requestIDPlace);
    const written = { before: text.slice(0, place), after: text.slice(place + requestIDPlace.length) };
    this.#written.set(refusal, written);
    return written;
  }
}
