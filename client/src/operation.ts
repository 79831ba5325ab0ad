/** What the SDK knows of one operation of the service. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `{name}` stands for a path parameter. */
  readonly path: string;
  /** Of its success. */
  readonly status: 200 | 201 | 204;
  /** What its success brings. */
  readonly answers: 'json' | 'page' | 'text' | 'nothing';
  /** Of its body; absent: JSON. */
  readonly mediaType?: string;
  /** Sending it twice does no more than sending it once. */
  readonly repeatable: boolean;
}
