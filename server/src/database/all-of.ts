import { type RawBuilder, sql } from 'kysely';

const and = sql` and `;

/** A condition, or what ends with one, and further ones. */
export function allOf(
  first: RawBuilder<unknown>,
  others: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  return others.length === 0 ? first : sql.join([first, ...others], and);
}
