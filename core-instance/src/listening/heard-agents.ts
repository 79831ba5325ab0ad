import type { ReportTarget } from '../spool/spooled-item.ts';
import type { SiteAgents } from '../state/site-agents.ts';

const maxOthers = 100_000;

/** The agents behind this core instance: those that registered here, and others that have sent something since it was started. */
export class HeardAgents {
  readonly #registered: Pick<SiteAgents, 'count' | 'agentOfMachine' | 'isRegistered'>;
  readonly #others = new Set<string>();

  constructor(registered: Pick<SiteAgents, 'count' | 'agentOfMachine' | 'isRegistered'>) {
    this.#registered = registered;
  }

  get count(): number {
    return this.#registered.count + this.#others.size;
  }

  note(target: ReportTarget): void {
    const isRegistered =
      'agentID' in target
        ? this.#registered.isRegistered(target.agentID)
        : this.#registered.agentOfMachine(target.machineID) !== undefined;
    if (!isRegistered && this.#others.size < maxOthers) this.#others.add(nameOf(target));
  }

  /** It is one of those that registered here from now on. */
  noteRegistered(machineID: string): void {
    this.#others.delete(nameOf({ machineID }));
  }
}

function nameOf(target: ReportTarget): string {
  return 'agentID' in target ? `agent ${target.agentID}` : `machine ${target.machineID}`;
}
