import { createReadStream } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../clock.ts';
import { readBoundedText } from '../../read-bounded-text.ts';
import { checkKeyPair, type KeyPair, KeyPairError } from './key-pair.ts';

export interface KeyPairFilesOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly clock: Clock;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'error'>;
}

/** More is no certificate and no key. */
const maxFileBytes = 1_048_576;
const checkMilliseconds = 10_000;

/**
 * The key pair of the service in its files. The contents are read again every few seconds and compared: this notices every
 * way to replace a file, also by renaming and by exchanging the symbolic link of a folder, as Kubernetes does.
 */
export class KeyPairFiles {
  readonly #options: KeyPairFilesOptions;
  #current: KeyPair;
  /** The contents that were refused by the check before, or why they could not be read. */
  #refused: string | undefined;
  #isRefusalLogged = false;
  #timer: NodeJS.Timeout | undefined;
  #onChange: (pair: KeyPair) => void = () => undefined;

  private constructor(options: KeyPairFilesOptions, current: KeyPair) {
    this.#options = options;
    this.#current = current;
  }

  /** @throws KeyPairError (as a rejection) if the pair cannot be read or used */
  static async open(options: KeyPairFilesOptions): Promise<KeyPairFiles> {
    const pair = checkKeyPair(await readPair(options), options.clock());
    return new KeyPairFiles(options, pair);
  }

  get current(): KeyPair {
    return this.#current;
  }

  /** @param onChange called with each new valid pair */
  watch(onChange: (pair: KeyPair) => void): void {
    this.#onChange = onChange;
    this.#timer = setInterval(() => void this.check(), checkMilliseconds).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Takes over a new pair. A pair that cannot be used changes nothing. */
  async check(): Promise<void> {
    const { logger, clock } = this.#options;
    let read: Awaited<ReturnType<typeof readPair>> | undefined;
    try {
      read = await readPair(this.#options);
      if (read.cert === this.#current.cert && read.key === this.#current.key) {
        this.#refused = undefined;
        return;
      }
      this.#current = checkKeyPair(read, clock());
      this.#refused = undefined;
      this.#onChange(this.#current);
      logger.info(
        { expiresAt: new Date(this.#current.expiresAt).toISOString() },
        'the new TLS certificate is used for new connections',
      );
    } catch (error) {
      this.#noteRefused(read === undefined ? String(error) : read.cert + read.key, error);
    }
  }

  /** Not logged at once: programs that renew certificates replace the two files one after the other. */
  #noteRefused(contents: string, error: unknown): void {
    if (this.#refused !== contents) {
      this.#refused = contents;
      this.#isRefusalLogged = false;
      return;
    }
    if (this.#isRefusalLogged) return;
    this.#isRefusalLogged = true;
    const why = error instanceof KeyPairError ? error.message : String(error);
    this.#options.logger.error(
      { why, expiresAt: new Date(this.#current.expiresAt).toISOString() },
      'the new TLS certificate or its key cannot be used; the one before stays in use',
    );
  }
}

async function readPair({ certFile, keyFile }: KeyPairFilesOptions): Promise<Pick<KeyPair, 'cert' | 'key'>> {
  const [cert, key] = await Promise.all([
    readPart('MUSTER_TLS_CERT', certFile),
    readPart('MUSTER_TLS_KEY', keyFile),
  ]);
  return { cert, key };
}

async function readPart(variable: string, file: string): Promise<string> {
  try {
    return await readBoundedText(createReadStream(file), maxFileBytes);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new KeyPairError(
      `${variable} names a file that cannot be read (${why}). Check the path, and that the user of the service may read the file.`,
    );
  }
}
