/**
 * Does the work for each item, one after the other, so that what fails for one keeps no other waiting.
 *
 * @param closing no further item is begun once it is aborted
 * @throws what the first one that failed has thrown, after all of them
 */
export async function forEachApart<Item>(
  items: readonly Item[],
  closing: AbortSignal,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    if (closing.aborted) break;
    await work(item).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
