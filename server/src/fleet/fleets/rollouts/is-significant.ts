/** Below this probability, a difference is not put down to chance. */
const level = 0.05;

/**
 * Whether so many of one group, and so few of the other, are hardly chance: Fisher's exact test, one-sided. In a large fleet, two agents that report the same
 * rare cause within an hour say nothing yet.
 */
export function isSignificant(count: number, of: number, otherCount: number, others: number): boolean {
  const affected = count + otherCount;
  const all = of + others;
  // Of all ways to choose the affected agents, those with at least so many in the first group.
  let probability = 0;
  for (let inFirst = count; inFirst <= Math.min(affected, of); inFirst += 1) {
    const term = Math.exp(
      logChoices(of, inFirst) + logChoices(others, affected - inFirst) - logChoices(all, affected),
    );
    probability += term;
    if (probability >= level) return false;
    if (term < probability * 1e-12) break;
  }
  return true;
}

/** The logarithm of the number of ways to choose so many of all. */
function logChoices(all: number, chosen: number): number {
  return logFactorial(all) - logFactorial(chosen) - logFactorial(all - chosen);
}

/** Exact for small numbers; by Stirling's series from 20 on, whose error there is below 1e-11. */
function logFactorial(number: number): number {
  if (number < 20) {
    let product = 1;
    for (let factor = 2; factor <= number; factor += 1) product *= factor;
    return Math.log(product);
  }
  const next = number + 1;
  return (
    (next - 0.5) * Math.log(next) -
    next +
    0.5 * Math.log(2 * Math.PI) +
    1 / (12 * next) -
    1 / (360 * next ** 3) +
    1 / (1260 * next ** 5)
  );
}
