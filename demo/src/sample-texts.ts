/** What differs between two agents that report the same cause. */
interface Differences {
  readonly address: string;
  /** The next number of this agent, below the limit. */
  number(limit: number): number;
}

/** The text as another agent, or the same agent at another time, prints it. */
export function varyText(text: string, { address, number }: Differences): string {
  return text
    .replaceAll(/\b127(?:\.\d{1,3}){3}\b/g, address)
    .replaceAll(
      /\b\d+-\d+\.\d+\.flb\b/g,
      () => `${100 + number(30_000)}-${1_795_000_000 + number(900_000)}.${number(1e9)}.flb`,
    )
    .replaceAll(/\btask_id=\d+/g, () => `task_id=${number(2048)}`)
    .replaceAll(
      /\b(http|es|tail|tcp|forward|loki|dummy)\.\d+/g,
      (_, plugin: string) => `${plugin}.${number(4)}`,
    );
}
