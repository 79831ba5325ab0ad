import { Refusal } from '@muster/http/refusal';

type Code = 'agent_deleted' | 'not_found';

interface EndedAgentsOptions {
  /** As the list of credentials says; of an id of the centre. */
  readonly isDeleted: (agentID: string) => boolean;
  /** The id by which the centre knows an agent. */
  readonly canonicalID: (agentID: string) => string;
  readonly monotonic: () => number;
}

const rememberedMilliseconds = 600_000;
const maxRemembered = 10_000;

/**
 * Agents of which the centre takes nothing: what they send is refused here too, and not lost. It lists those that were deleted and have a token of their
 * own. Of others it says so when it refuses something, which counts for a while, because they may register with the centre itself.
 */
export class EndedAgents {
  readonly #options: EndedAgentsOptions;
  readonly #agents = new Map<string, { readonly code: Code; readonly until: number }>();

  constructor(options: EndedAgentsOptions) {
    this.#options = options;
  }

  /** Called with what the centre refused. */
  note(agentID: string, code: string): void {
    if (code !== 'agent_deleted' && code !== 'not_found') return;
    if (this.#agents.size >= maxRemembered) this.#agents.clear();
    this.#agents.set(agentID.toLowerCase(), {
      code,
      until: this.#options.monotonic() + rememberedMilliseconds,
    });
  }

  /** Called when an agent registers here, and when the centre has taken that: what it refused before may have been told in between. */
  forget(agentID: string): void {
    this.#agents.delete(agentID.toLowerCase());
  }

  /** @throws Refusal agent_deleted, not_found */
  requireNotEnded(agentID: string): void {
    const code = this.#codeOf(agentID);
    if (code === undefined) return;
    if (code === 'agent_deleted') throw new Refusal('agent_deleted');
    throw new Refusal('not_found', {
      detail: `There is no agent ${agentID} that this credential can see.`,
    });
  }

  /** An id that the centre refuses for ever. */
  isDeleted(agentID: string): boolean {
    return this.#codeOf(agentID) === 'agent_deleted';
  }

  #codeOf(agentID: string): Code | undefined {
    const { isDeleted, canonicalID, monotonic } = this.#options;
    const id = agentID.toLowerCase();
    if (isDeleted(canonicalID(id))) return 'agent_deleted';
    const ended = this.#agents.get(id);
    return ended === undefined || ended.until <= monotonic() ? undefined : ended.code;
  }
}
