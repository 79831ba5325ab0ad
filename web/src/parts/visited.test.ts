import { expect, it } from 'vitest';
import { lastVisited, noteVisited } from './visited.ts';

it('lists what somebody looked at last in a project, each once, without what they look at now', () => {
  noteVisited('/projects/a/agents/1', 'Agent');
  noteVisited('/projects/a/agents/1', 'edge-1');
  noteVisited('/projects/b/agents/2', 'edge-2');
  noteVisited('/projects/a/causes/3', 'Destination not reachable');
  noteVisited('/projects/a/agents/1', 'edge-1');
  expect(lastVisited('a', '/projects/a')).toEqual([
    { path: '/projects/a/agents/1', title: 'edge-1' },
    { path: '/projects/a/causes/3', title: 'Destination not reachable' },
  ]);
  expect(lastVisited('a', '/projects/a/agents/1')).toEqual([
    { path: '/projects/a/causes/3', title: 'Destination not reachable' },
  ]);
});

it('keeps the last twelve', () => {
  for (let number = 1; number <= 20; number += 1)
    noteVisited(`/projects/c/agents/${number}`, `edge-${number}`);
  expect(lastVisited('c', '').map(({ title }) => title)).toEqual(
    Array.from({ length: 12 }, (_, place) => `edge-${20 - place}`),
  );
});
