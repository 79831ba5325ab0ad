import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Engine } from './migrations/column-types.ts';

/** What the values of a column of bytes begin with, all in one hexadecimal text, in either case; null where there are none. */
export function joinPrefixes(
  engine: Engine,
  column: Expression<Uint8Array>,
  bytes: number,
): RawBuilder<string | null> {
  return engine === 'sqlite'
    ? sql`group_concat(hex(substr(${column}, 1, ${bytes})), '')`
    : sql`string_agg(encode(substring(${column} from 1 for ${bytes}), 'hex'), '')`;
}
