import type { MuteAgentErrorGroup } from '@muster/client';

/** How long causes are muted. */
export type MuteKind = 'configuration' | 'agents' | 'time';

/** What somebody has chosen in a dialog. */
export interface MuteChoice {
  readonly kind: MuteKind;
  readonly time: keyof typeof hours;
  /** Agents on which it may be; as it was typed. */
  readonly agents: string;
}

const hours = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 } as const;
const hourMilliseconds = 3_600_000;
/** Every mute ends, also if nothing happens. */
const longestDays = 90;

/** A fifth more than now, as a round number: what is still the same incident. */
export function suggestAgents(now: number): number {
  const wanted = Math.max(now + 1, now * 1.2);
  const step = 10 ** Math.max(0, Math.floor(Math.log10(wanted)) - 1);
  return Math.ceil(wanted / step) * step;
}

/** What a dialog begins with. */
export function suggestChoice(time: MuteChoice['time'], agentsNow: number | undefined): MuteChoice {
  const agents = agentsNow === undefined ? '' : String(suggestAgents(agentsNow));
  return { kind: 'configuration', time, agents };
}

/** What the service is asked for. Undefined: the choice makes no sense. */
export function muteOf(
  choice: MuteChoice,
  {
    now,
    agentsNow,
    reason,
  }: { readonly now: number; readonly agentsNow: number | undefined; readonly reason: string },
): MuteAgentErrorGroup | undefined {
  const until = (length: number) => new Date(now + length * hourMilliseconds).toISOString();
  switch (choice.kind) {
    case 'time':
      return { until: until(hours[choice.time]), reason };
    case 'configuration':
      return { until: until(longestDays * 24), reason, endsWithConfiguration: true };
    case 'agents': {
      if (agentsNow === undefined) return undefined;
      const moreAgents = Number(choice.agents.replaceAll(',', '')) - agentsNow;
      return Number.isInteger(moreAgents) && moreAgents > 0
        ? { until: until(longestDays * 24), reason, moreAgents }
        : undefined;
    }
  }
}
