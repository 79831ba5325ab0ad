export type CentreFailureKind =
  /** Nobody answers, or something other than Muster. */
  | 'unreachable'
  /** It answers that it cannot accept requests at the moment. */
  | 'busy'
  /** Its answer will be the same for the same request. */
  | 'refused'
  /** It does not know the credential, or no longer accepts it. */
  | 'unauthorized'
  /** This core instance was deleted. */
  | 'deleted'
  /** The two do not speak the same protocol. */
  | 'too_old';

interface FailureOptions {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly paths?: readonly string[];
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** A call of the centre without the wanted answer. */
export class CentreFailure extends Error {
  override readonly name = 'CentreFailure';
  readonly kind: CentreFailureKind;
  readonly status: number | undefined;
  readonly code: string | undefined;
  /** JSON pointers to what it refuses in the body, if it says so. */
  readonly paths: readonly string[];
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: CentreFailureKind, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.status = options.status;
    this.code = options.code;
    this.paths = options.paths ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export function kindOfStatus(status: number, code: string | undefined): CentreFailureKind {
  if (code === 'core_instance_deleted') return 'deleted';
  if (status === 426) return 'too_old';
  if (status === 401) return 'unauthorized';
  return status === 408 || status === 429 || status >= 500 ? 'busy' : 'refused';
}
