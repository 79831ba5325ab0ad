import { describe, expect, it } from 'vitest';
import { Memory } from './memory.ts';

const figures = { size: 1, limit: 2, hits: 3, misses: 4 };

describe('Memory', () => {
  it('tells every cache which agents have changed, and everything if the outcome of a write is unknown', () => {
    const told: string[] = [];
    const memory = new Memory();
    memory.add('of_agents', {
      figures,
      forget: (agentID) => told.push(`of_agents ${agentID}`),
      forgetAll: () => told.push('of_agents'),
    });
    memory.add('of_projects', { figures, forgetAll: () => told.push('of_projects') });
    memory.changed({ agents: ['a', 'b'] });
    expect(told).toEqual(['of_agents a', 'of_agents b']);
    told.length = 0;
    memory.changed('unknown');
    expect(told).toEqual(['of_agents', 'of_projects']);
  });

  it('reads the figures of each cache by its name', () => {
    const memory = new Memory();
    let hits = 0;
    memory.add('cache', {
      get figures() {
        return { ...figures, hits };
      },
      forgetAll: () => undefined,
    });
    const read = memory.figures.cache;
    hits = 7;
    expect(read?.()).toEqual({ ...figures, hits: 7 });
  });
});
