const portionSize = 1_000;

/**
 * Deletes until nothing is left that is due; in portions, so that reports get their turn in between.
 *
 * @param deleteSome deletes up to `most` rows and answers how many it has deleted.
 */
export async function deleteInPortions(deleteSome: (most: number) => Promise<number>): Promise<void> {
  let deleted = portionSize;
  while (deleted === portionSize) deleted = await deleteSome(portionSize);
}
