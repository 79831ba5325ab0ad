import { canonicalJson, type JsonValue } from './canonical-json.ts';

/** The digest that stands before the first entry of a chain. */
export const firstPreviousDigest = '0'.repeat(64);

/**
 * The text over which the digest of an entry of the audit log is computed: the entry without `digest`, as canonical JSON (RFC 8785). The digest is
 * SHA-256 of this text in UTF-8, in lower-case hexadecimal digits.
 */
export function auditText(entry: { readonly [name: string]: JsonValue | undefined }): string {
  return canonicalJson({ ...entry, digest: undefined });
}
