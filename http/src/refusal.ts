import { type ProblemCode, type ProblemField, problems } from '@muster/contract';

interface RefusalOptions {
  /** What happened, why, and what to do, for the caller. Absent: the catalog's help. */
  readonly detail?: string;
  readonly fields?: readonly ProblemField[];
  readonly retryAfterSeconds?: number;
  /** The project in which a permission is missing, if it is known. */
  readonly projectID?: string | undefined;
  /** Only for the log. */
  readonly cause?: unknown;
}

/** The only error type that services throw: a code of the contract and a message for the caller. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly fields: readonly ProblemField[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly projectID: string | undefined;

  constructor(code: ProblemCode, options: RefusalOptions = {}) {
    super(`${code}: ${options.detail ?? problems[code].help}`, { cause: options.cause });
    this.code = code;
    this.detail = options.detail ?? problems[code].help;
    this.fields = options.fields;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.projectID = options.projectID;
  }
}

/** A refusal that has no log line of its own, because many are logged together. */
export class UntoldRefusal extends Refusal {}

/** The refusal of a body that is valid JSON with invalid content. */
export function invalidBody(found: readonly ProblemField[]): Refusal {
  const fields = found.map(({ path, message }) => ({ path: shorten(path), message }));
  const sentences = fields.map(({ path, message }) => {
    const sentence = `${path === '' ? 'The body' : `'${path}'`} ${message}`;
    return sentence.endsWith('?') ? sentence : `${sentence}.`;
  });
  return new Refusal('invalid_body', { detail: sentences.join(' '), fields });
}

export function bodyTooLarge(limitBytes: number): Refusal {
  return new Refusal('body_too_large', {
    detail: `The body is larger than ${limitBytes} bytes, the most that this route takes. Send less in one request.`,
  });
}

const maxPathLength = 256;

/** A path contains field names of the sender, which can have any length. */
function shorten(path: string): string {
  return path.length <= maxPathLength ? path : `${path.slice(0, maxPathLength).toWellFormed()}…`;
}
