/** Splits items into batches. */
export function* batchesOf<Item>(items: Iterable<Item>, size: number): Iterable<readonly Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
