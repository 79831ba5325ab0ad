import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { MemoryFiles } from '../testing/memory-files.ts';
import { errorOf, openTestSpool, updateOf } from '../testing/test-spool.ts';
import { type Portion, startPosition } from './spool.ts';
import type { SpooledItem } from './spooled-item.ts';

const seed = Number(process.env.MUSTER_TEST_SEED);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      texts: fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('update' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      items: fc.integer({ min: 1, max: 10 }),
      arrives: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tend' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      survives: fc.nat(400),
      how: fc.constantFrom('stop', 'kill', 'power cut'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('fail' as const), times: fc.integer({ min: 1, max: 3 }) }),
  },
);

/** What a centre would have: counts by text since the last update, which are part of the text here. */
class Centre {
  readonly counts = new Map<string, number>();
  epoch = 0;

  accept(items: readonly SpooledItem[]): void {
    for (const item of items) {
      if (item.kind === 'error') {
        const key = `${this.epoch} ${item.error}`;
        this.counts.set(key, (this.counts.get(key) ?? 0) + item.count);
      } else this.epoch += 1;
    }
  }
}

describe('a spool whose process is killed, whose power is cut, and whose disk fails', () => {
  it('gives each item that it has acknowledged once, in the order of state and errors; a power cut costs at most repeats that were not synced', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        let failures = 0;
        let survives = 0;
        const files = new MemoryFiles({
          failsNow: () => {
            failures -= 1;
            return failures >= 0;
          },
          survives: () => survives,
        });
        let now = 0;
        const bounds = { segmentBytes: 700, foldFromBytes: 1_000, pauseAfterFailureMilliseconds: 0 };
        let acknowledged = startPosition;
        const open = (pinned = acknowledged) =>
          openTestSpool(files, { bounds, acknowledged, pinned, now: () => (now += 1) });
        let { spool, events } = await open();
        const [sent, arrived] = [new Centre(), new Centre()];
        /** What a power cut may take of the counts: none of its errors. */
        let synced = new Map<string, number>();
        const uncertain = new Map<string, number>();
        const noteSynced = () => {
          if (files.isSynced) synced = new Map(sent.counts);
        };
        /** Sent, and not known to have arrived. */
        let waiting: Portion | undefined;

        for (const one of steps) {
          if (one.do === 'append') {
            const items = one.texts.map((text) => errorOf(`text ${text}`));
            await spool.append(items).then(
              () => sent.accept(items),
              () => undefined,
            );
          } else if (one.do === 'update') {
            await spool.append([updateOf('2')]).then(
              () => sent.accept([updateOf('2')]),
              () => undefined,
            );
          } else if (one.do === 'tend') {
            await spool.tend();
          } else if (one.do === 'fail') {
            failures = one.times;
          } else if (one.do === 'crash') {
            failures = 0;
            survives = one.survives;
            if (one.how === 'stop') await spool.close();
            noteSynced();
            if (one.how === 'power cut') {
              files.crash();
              for (const [key, count] of sent.counts) {
                const atRisk = count - (synced.get(key) ?? 0);
                if (atRisk > 0) uncertain.set(key, (uncertain.get(key) ?? 0) + atRisk);
              }
              synced = new Map(sent.counts);
            }
            ({ spool, events } = await open(waiting?.end));
            if (waiting !== undefined) {
              const again = await spool.retake(acknowledged, waiting.end);
              if (uncertain.size === 0) expect(again).toEqual(waiting);
              waiting = again;
            }
          } else {
            failures = 0;
            waiting ??= await spool.take(acknowledged, { items: one.items, bytes: 1e9 });
            if (!one.arrives) continue;
            arrived.accept(waiting.items);
            acknowledged = waiting.end;
            await spool.acknowledge(waiting);
            waiting = undefined;
          }
          noteSynced();
        }
        failures = 0;
        if (waiting !== undefined) {
          arrived.accept(waiting.items);
          acknowledged = waiting.end;
          await spool.acknowledge(waiting);
        }
        const rest = await spool.take(acknowledged, { items: 1e9, bytes: 1e9 });
        expect(spool.figures.reports).toBe(
          rest.items.reduce((sum, item) => sum + ('count' in item ? item.count : 0), 0),
        );
        arrived.accept(rest.items);
        expect({ ...arrived, counts: [...arrived.counts.keys()] }).toEqual({
          ...sent,
          counts: [...sent.counts.keys()],
        });
        for (const [key, count] of sent.counts) {
          expect(arrived.counts.get(key)).toBeLessThanOrEqual(count);
          expect(arrived.counts.get(key)).toBeGreaterThanOrEqual(count - (uncertain.get(key) ?? 0));
        }
        expect(events.filter(({ kind }) => kind === 'damaged' || kind === 'expired')).toEqual([]);
      }),
      { seed, numRuns: rounds(600) },
    );
  });
});
