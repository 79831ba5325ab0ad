import type { OpenLoop, OpenLoopLoad, OpenLoopResult } from '../load/open-loop.ts';
import { sliceMilliseconds } from '../load/open-loop.ts';

export interface OverloadRound {
  /** Maximum rate of requests that were answered 201, per second. */
  readonly peakPerSecond: number;
  /** The same rate while three times as many are sent. */
  readonly goodPerSecond: number;
  readonly overload: OpenLoopResult;
  /** p99 of admitted requests at half of the maximum, before and after; undefined: it did not recover. */
  readonly normal99: number;
  readonly secondsToNormal: number | undefined;
}

interface OverloadPlan {
  readonly load: Omit<OpenLoopLoad, 'perSecond' | 'seconds'>;
  readonly seconds: number;
  /** Connections that are always busy during the search for the maximum. */
  readonly peakConnections: number;
  /** Runs other measurements during the overload. */
  readonly during: <Result>(overload: Promise<Result>) => Promise<Result>;
}

const timesThePeak = 3;
const normalShare = 0.5;
/** A slice has recovered if its p99 is at most this many times the usual one, with a minimum for noise of the machine. */
const normalTimes = 2;
const minNormalMilliseconds = 50;

/** First the maximum, then the usual load, the overload, and the usual load again. */
export async function runOverloadRound(loop: OpenLoop, plan: OverloadPlan): Promise<OverloadRound> {
  const { load, seconds } = plan;
  const peak = await loop.run({ ...load, perSecond: undefined, seconds, connections: plan.peakConnections });
  const peakPerSecond = peak.acceptedPerSecond;
  const usual = { ...load, perSecond: peakPerSecond * normalShare, seconds };
  const before = await loop.run(usual);
  const overload = await plan.during(
    loop.run({ ...load, perSecond: peakPerSecond * timesThePeak, seconds: seconds * 2 }),
  );
  const after = await loop.run(usual);
  for (const { whole } of [peak, before, overload, after]) refuseUnexpected(whole);
  const normal99 = before.whole.accepted99;
  return {
    peakPerSecond,
    goodPerSecond: overload.acceptedPerSecond,
    overload,
    normal99,
    secondsToNormal: secondsToNormal(after, Math.max(normal99 * normalTimes, minNormalMilliseconds)),
  };
}

/** Until the end of the last slice that had not recovered. */
function secondsToNormal({ slices }: OpenLoopResult, most: number): number | undefined {
  const lastBad = slices.findLastIndex(({ accepted, accepted99 }) => accepted === 0 || accepted99 > most);
  return lastBad === slices.length - 1 ? undefined : ((lastBad + 1) * sliceMilliseconds) / 1_000;
}

function refuseUnexpected({ unexpected, examples }: OpenLoopResult['whole']): void {
  if (unexpected > 0)
    throw new Error(
      `${unexpected} answers were neither 201 nor 503 with Retry-After:\n${examples.join('\n\n')}`,
    );
}
