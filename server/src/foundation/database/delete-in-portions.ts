const portionSize = 1_000;

/**
 * Deletes all due rows in portions, so that reports get their turn in between. When the service closes, it stops after a portion, and the next start
 * deletes the rest.
 *
 * @param deleteSome deletes up to `limit` rows and returns their number.
 */
export async function deleteInPortions(
  closing: AbortSignal,
  deleteSome: (limit: number) => Promise<number>,
): Promise<void> {
  let deleted: number;
  // Others may have removed or changed some rows of a portion before it is deleted.
  do deleted = await deleteSome(portionSize);
  while (deleted > 0 && !closing.aborted);
}
