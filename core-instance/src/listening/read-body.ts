import type { IncomingMessage } from 'node:http';
import { bodyLimitBytes } from '@muster/contract';
import { bodyTooLarge, Refusal } from '@muster/http/refusal';
import { gunzip, isGzip, unsupportedCoding } from '@muster/http/requests/content-coding';

interface BodyForm {
  readonly limitBytes: number;
  readonly takesGzip: boolean;
}

/** What the bodies of requests under way may take in memory together, beyond those of ordinary size. */
const maxLargeBytes = 32 * 1024 * 1024;

/** Reads the bodies of requests, and limits the memory that large ones take. */
export class BodyReader {
  #largeBytes = 0;

  /**
   * The whole body, without its gzip. It counts until `release` is called.
   *
   * @throws Refusal body_too_large, overloaded, unsupported_media_type, bad_request (as a rejection)
   */
  async read(
    request: IncomingMessage,
    { limitBytes, takesGzip }: BodyForm,
  ): Promise<{ readonly body: Buffer; readonly release: () => void }> {
    const { 'content-length': length, 'content-encoding': coding = 'identity' } = request.headers;
    const announced = length === undefined ? undefined : Number(length);
    if (announced !== undefined && announced > limitBytes) throw bodyTooLarge(limitBytes);
    const counted = (announced ?? limitBytes) > bodyLimitBytes ? (announced ?? limitBytes) : 0;
    if (this.#largeBytes + counted > maxLargeBytes) {
      throw new Refusal('overloaded', {
        detail: 'Too many large bodies arrive at the same time. Nothing was stored. Send the request again.',
        retryAfterSeconds: 1,
      });
    }
    this.#largeBytes += counted;
    const release = (): void => {
      this.#largeBytes -= counted;
    };
    try {
      const received = await collect(request, limitBytes);
      if (coding === 'identity') return { body: received, release };
      if (!takesGzip || !isGzip(coding)) throw unsupportedCoding(takesGzip);
      return { body: gunzip(received, limitBytes), release };
    } catch (error) {
      release();
      throw error;
    }
  }
}

function collect(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limitBytes) reject(bodyTooLarge(limitBytes));
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // Nobody is there to read an answer.
    request.on('error', reject);
  });
}
