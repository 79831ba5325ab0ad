const portionSize = 1_000;

/**
 * Deletes until nothing is left that is due; in portions, so that reports get their turn in between. Once the service
 * is closing it ends with a portion: what is left is due at the next start as well.
 *
 * @param deleteSome deletes up to `most` rows and answers how many it has deleted.
 */
export async function deleteInPortions(
  closing: AbortSignal,
  deleteSome: (most: number) => Promise<number>,
): Promise<void> {
  let deleted: number;
  // Of a portion that was chosen, others may have removed or changed some by the time that it is deleted.
  do deleted = await deleteSome(portionSize);
  while (deleted > 0 && !closing.aborted);
}
