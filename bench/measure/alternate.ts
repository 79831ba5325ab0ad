/** One of the contenders that are measured in turns. */
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
 * Measures contenders in turns, so that other load on the machine affects all of them, with the order reversed in every
 * second round. Returns their samples by round, in the order of the contenders.
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
