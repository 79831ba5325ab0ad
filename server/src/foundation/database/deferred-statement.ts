export const deferredMark = '/* sent with the next statement */';

/**
 * Marks a statement whose result nobody reads. In a transaction, it is sent together with the next statement or the commit, and runs before it: that
 * saves a round trip. If it fails, the next statement or the commit fails with its error. So a commit that succeeds contains it.
 */
export function deferred(text: string): string {
  return `${deferredMark}${text}`;
}

export function isDeferred(text: string): boolean {
  return text.startsWith(deferredMark);
}
