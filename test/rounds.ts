/** Exploring, or with a kept seed, which found something in one of the rounds. */
export const takesAllRounds =
  process.env.MUSTER_TEST_EXPLORE === 'true' || process.env.MUSTER_TEST_REPLAYS_SEED === 'true';

/** How often a property is tried: a tenth of the rounds in `npm test`, all of them otherwise. */
export function rounds(all: number): number {
  return takesAllRounds ? all : Math.ceil(all / 10);
}
