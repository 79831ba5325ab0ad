/**
 * An array as PostgreSQL reads it, for parameters of type `uuid[]`, `bigint[]` and `boolean[]`, whose values need no quotes. The driver would
 * look for quotes and backslashes in each of them, which takes several times as long.
 */
export function arrayLiteral(values: readonly (string | number | bigint | boolean)[]): string {
  return `{${values.join(',')}}`;
}
