import { expect, it } from 'vitest';
import { VisitedScreens } from './visited.ts';

const visited = new VisitedScreens();

it('lists what somebody looked at last in a project, each once, without what they look at now', () => {
  visited.note('/projects/a/agents/1', 'Agent');
  visited.note('/projects/a/agents/1', 'edge-1');
  visited.note('/projects/b/agents/2', 'edge-2');
  visited.note('/projects/a/causes/3', 'Destination not reachable');
  visited.note('/projects/a/agents/1', 'edge-1');
  expect(visited.listOthers('a', '/projects/a')).toEqual([
    { path: '/projects/a/agents/1', title: 'edge-1' },
    { path: '/projects/a/causes/3', title: 'Destination not reachable' },
  ]);
  expect(visited.listOthers('a', '/projects/a/agents/1')).toEqual([
    { path: '/projects/a/causes/3', title: 'Destination not reachable' },
  ]);
});

it('keeps the last twelve', () => {
  for (let number = 1; number <= 20; number += 1)
    visited.note(`/projects/c/agents/${number}`, `edge-${number}`);
  expect(visited.listOthers('c', '').map(({ title }) => title)).toEqual(
    Array.from({ length: 12 }, (_, place) => `edge-${20 - place}`),
  );
});
