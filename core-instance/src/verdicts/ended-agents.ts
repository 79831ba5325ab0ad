import { Refusal } from '@muster/http/refusal';

type Code = 'agent_deleted' | 'not_found';

const rememberedMilliseconds = 600_000;
const maxRemembered = 10_000;

/**
 * Agents of which the centre takes nothing, as it said when it refused something: what they send is refused here too, and not lost. For a while, because
 * they may register with the centre itself.
 */
export class EndedAgents {
  readonly #monotonic: () => number;
  readonly #agents = new Map<string, { readonly code: Code; readonly until: number }>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Called with what the centre refused. */
  note(agentID: string, code: string): void {
    if (code !== 'agent_deleted' && code !== 'not_found') return;
    if (this.#agents.size >= maxRemembered) this.#agents.clear();
    this.#agents.set(agentID.toLowerCase(), { code, until: this.#monotonic() + rememberedMilliseconds });
  }

  /** Called when an agent registers here, and when the centre has taken that: what it refused before may have been told in between. */
  forget(agentID: string): void {
    this.#agents.delete(agentID.toLowerCase());
  }

  /** @throws Refusal agent_deleted, not_found */
  requireNotEnded(agentID: string): void {
    const ended = this.#agents.get(agentID.toLowerCase());
    if (ended === undefined || ended.until <= this.#monotonic()) return;
    if (ended.code === 'agent_deleted') throw new Refusal('agent_deleted');
    throw new Refusal('not_found', {
      detail: `There is no agent ${agentID} that this credential can see.`,
    });
  }
}
