/** One operation of the service, as the SDK needs it. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `{name}` stands for a path parameter. */
  readonly path: string;
  /** HTTP status of a success. */
  readonly status: 200 | 201 | 204;
  /** Kind of body of a success. */
  readonly answers: 'json' | 'page' | 'text' | 'nothing';
  /** Media type of the request body; absent: JSON. */
  readonly mediaType?: string;
  /** True when repeating the operation has no further effect. */
  readonly repeatable: boolean;
  /** True if each call sends an Idempotency-Key, which makes it repeatable. */
  readonly takesIdempotencyKey?: boolean;
}
