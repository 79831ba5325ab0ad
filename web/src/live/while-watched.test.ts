import { beforeEach, describe, expect, it } from 'vitest';
import { HeldTimer } from './testing/held-timer.ts';
import { WhileWatched } from './while-watched.ts';

let calls: string[];
let timer: HeldTimer;
let isVisible: boolean;
let watched: WhileWatched;

beforeEach(() => {
  calls = [];
  timer = new HeldTimer();
  isVisible = true;
  watched = new WhileWatched({
    timer,
    isWatched: () => isVisible,
    start: () => calls.push('start'),
    stop: () => calls.push('stop'),
  });
});

function show(isShown: boolean): void {
  isVisible = isShown;
  watched.update();
}

describe('while the tab is watched', () => {
  it('runs at once', () => {
    watched.update();
    expect(calls).toEqual(['start']);
  });

  it('does not run in a tab that was opened in the background, until it is shown', () => {
    show(false);
    expect(calls).toEqual([]);
    show(true);
    expect(calls).toEqual(['start']);
  });

  it('stops after the tab was hidden for ten seconds, and runs again when it is shown', () => {
    watched.update();
    show(false);
    expect(timer.waits.map(({ milliseconds }) => milliseconds)).toEqual([10_000]);
    timer.waits[0]?.run();
    show(true);
    expect(calls).toEqual(['start', 'stop', 'start']);
  });

  it('does not stop for a look at another tab', () => {
    watched.update();
    show(false);
    show(true);
    expect(timer.waits).toEqual([]);
    expect(calls).not.toContain('stop');
  });

  it('stops when the screen goes, and waits for nothing then', () => {
    watched.update();
    show(false);
    watched.end();
    expect(timer.waits).toEqual([]);
    expect(calls).toEqual(['start', 'stop']);
  });
});
