export type SpoolErrorKind =
  /** The bound on its size is reached. */
  | 'full'
  /** As much state of the agent waits as may of one. */
  | 'agent_full'
  /** More arrives than the disk takes. */
  | 'busy'
  /** The disk refuses: it is full, or it is broken. */
  | 'write_failed'
  | 'closed';

/** Items that are not kept. Nobody may be told that they are. */
export class SpoolError extends Error {
  override readonly name = 'SpoolError';
  readonly kind: SpoolErrorKind;

  constructor(kind: SpoolErrorKind, options?: ErrorOptions) {
    super(`the spool does not keep this: ${kind}`, options);
    this.kind = kind;
  }
}
