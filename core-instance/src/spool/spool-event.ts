/** What an operator has to know of a spool. Reports are counted with their repeats. */
export type SpoolEvent =
  /** Records that were acknowledged to agents and cannot be read any more. */
  | { readonly kind: 'damaged'; readonly file: string; readonly bytes: number; readonly records: number }
  /** Errors that waited for longer than the bound. */
  | { readonly kind: 'expired'; readonly reports: number; readonly from: number; readonly to: number }
  /** A file of a newer version of this program: it is left alone as long as nothing behind it was sent. */
  | { readonly kind: 'newer'; readonly file: string; readonly version: number }
  /** New errors are refused, because the bound on the size is reached. */
  | { readonly kind: 'full'; readonly bytes: number }
  | { readonly kind: 'has_room' }
  /** What could not be written was refused. */
  | { readonly kind: 'write_failed'; readonly error: unknown }
  | { readonly kind: 'tending_failed'; readonly error: unknown };

/** True for what was acknowledged to an agent and will not reach the centre. */
export function lossOf(event: SpoolEvent): number {
  if (event.kind === 'damaged') return event.records;
  return event.kind === 'expired' ? event.reports : 0;
}
