import { hash } from 'node:crypto';
import type { ReportTarget } from '../spool/spooled-item.ts';
import type { SiteAgents } from '../state/site-agents.ts';

const maxOthers = 100_000;

/** The agents behind this core instance: those that registered here, and others that have sent something since it was started. */
export class HeardAgents {
  readonly #registered: Pick<SiteAgents, 'count' | 'agentOfMachine' | 'isRegistered'>;
  /** Digests, since names would take three times the memory, and also keep the texts of which they are parts. */
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
    if (!isRegistered && this.#others.size < maxOthers) this.#others.add(digestOf(target));
  }

  /** It is one of those that registered here from now on. */
  noteRegistered(machineID: string): void {
    this.#others.delete(digestOf({ machineID }));
  }
}

/** So many bytes that no two are the same by chance, and so few that V8 copies them from the whole digest instead of keeping that. */
const digestBytes = 12;

function digestOf(target: ReportTarget): string {
  const name = 'agentID' in target ? `agent ${target.agentID}` : `machine ${target.machineID}`;
  return hash('sha256', name, 'binary').slice(0, digestBytes);
}
