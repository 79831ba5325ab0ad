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

/** The centre, or a proxy before it, has not taken the whole request: it was too long on its way, or is too large. */
export function isCutOff(error: unknown): boolean {
  return error instanceof CentreFailure && (error.status === 408 || error.status === 413);
}

/** What a failure means for what agents send. */
export function explainFailure(kind: CentreFailureKind, message: string): string {
  switch (kind) {
    case 'unreachable':
      return `Muster cannot be reached: ${message}. What agents send is kept here until it can.`;
    case 'busy':
      return `Muster takes nothing now: ${message} What agents send is kept here until it does.`;
    case 'deleted':
      return `This core instance was deleted in Muster, which takes nothing from it any more. What agents send is refused, and what waits is kept in its state folder. To send that, stop this core instance, delete identity.json in its state folder, and start it with the project token of another one.`;
    case 'too_old':
      return `This core instance and Muster do not understand each other: ${message} What agents send is kept here until then.`;
    case 'unauthorized':
      return `Muster does not accept the credential of this core instance: ${message} What agents send is kept here. It needs a project token to join again, as the same core instance: create one with muster token create NAME --permission create:core_instance --expires 1h, and put it into the file of --token-file, or start this core instance again with it.`;
    case 'refused':
      return `Muster refuses what this core instance sends: ${message} It is kept here, and sent again later.`;
  }
}
