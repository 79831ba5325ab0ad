/** One of those that are measured side by side. */
export interface Contender<Sample> {
  readonly name: string;
  measure(seconds: number): Promise<Sample>;
}

interface AlternateOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly say: (line: string) => void;
}

const warmUpSeconds = 1;

/**
 * Lets contenders take turns, so that what else happens on the machine meets all of them; in every other round in
 * the opposite order. Answers their samples, by round, in the order of the contenders.
 */
export async function alternate<Sample>(
  contenders: readonly Contender<Sample>[],
  { rounds, seconds, say }: AlternateOptions,
): Promise<Sample[][]> {
  for (const contender of contenders) await contender.measure(Math.min(warmUpSeconds, seconds));
  const samples = new Map(contenders.map((contender) => [contender, [] as Sample[]]));
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`);
    for (const contender of round % 2 === 1 ? contenders : [...contenders].reverse()) {
      samples.get(contender)?.push(await contender.measure(seconds));
    }
  }
  return contenders.map((contender) => samples.get(contender) ?? []);
}
