/**
 * Has the items of two kinds answered at the same time, each kind at once, and returns the answers in the order of the items.
 *
 * @param isApart also gets the position of the item
 */
export async function answerApart<Item, Answer>(
  items: readonly Item[],
  isApart: (item: Item, index: number) => boolean,
  ofApart: (items: readonly Item[]) => Promise<readonly Answer[]>,
  ofOthers: (items: readonly Item[]) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  const areApart = items.map(isApart);
  const apart = items.filter((_, index) => areApart[index]);
  if (apart.length === 0) return ofOthers(items);
  if (apart.length === items.length) return ofApart(items);
  const others = items.filter((_, index) => !areApart[index]);
  const [answersApart, answersOfOthers] = await Promise.all([ofApart(apart), ofOthers(others)]);
  const rest = { apart: answersApart.values(), others: answersOfOthers.values() };
  return areApart.map((isOne) => {
    const { value } = (isOne ? rest.apart : rest.others).next();
    if (value === undefined) throw new Error('every item has an answer');
    return value;
  });
}
