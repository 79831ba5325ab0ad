import { hash } from 'node:crypto';
import type { SpooledItem } from './spooled-item.ts';

const counters = 65_536;

/**
 * How many bytes of state wait of each agent, so that one agent cannot take the room of all. Each agent shares its number with one in 65,536 others, so that
 * memory does not grow with ids that anybody can invent. What an earlier process has kept does not count.
 */
export class WaitingState {
  readonly #bytes = new Uint32Array(counters);

  /** Of the agent of an item. */
  bytesOf(item: SpooledItem): number {
    return this.#bytes[placeOf(item)] ?? 0;
  }

  /** @param bytes below 0: they do not wait any more */
  add(item: SpooledItem, bytes: number): void {
    if (item.kind === 'error') return;
    const place = placeOf(item);
    this.#bytes[place] = Math.max(0, (this.#bytes[place] ?? 0) + bytes);
  }
}

function placeOf(item: SpooledItem): number {
  const named = 'target' in item ? item.target : item;
  return hash('sha256', 'agentID' in named ? named.agentID : named.machineID, 'buffer').readUInt16LE();
}
