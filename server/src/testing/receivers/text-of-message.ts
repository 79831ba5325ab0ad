/** A message to a database, as text to search for statements in. */
export function textOfMessage(message: unknown): string {
  return (
    JSON.stringify(message, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ?? ''
  );
}
