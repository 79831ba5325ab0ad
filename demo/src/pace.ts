import { defaultDurationSeconds, type Options } from './options.ts';

/** Decides when the demo goes on to its next act. */
export interface Pace {
  /** True if its reader has to press Enter. */
  readonly isInteractive: boolean;
  /** Fires at the end of the act that begins. */
  endOfAct(): AbortSignal;
  /** Lets the process end. */
  close(): void;
}

/** Enter on a terminal; a share of the duration otherwise. */
export function createPace({ durationSeconds, input, output }: Options, acts: number): Pace {
  const isInteractive = input.isTTY === true && output.isTTY === true;
  if (durationSeconds === undefined && isInteractive) return paceOfEnter(input);
  const milliseconds = ((durationSeconds ?? defaultDurationSeconds) / acts) * 1000;
  return {
    isInteractive: false,
    endOfAct: () => AbortSignal.timeout(milliseconds),
    close: () => undefined,
  };
}

function paceOfEnter(input: Options['input']): Pace {
  let act = new AbortController();
  const end = (): void => act.abort();
  input.on('data', end);
  return {
    isInteractive: true,
    endOfAct() {
      act = new AbortController();
      return act.signal;
    },
    close() {
      input.off('data', end);
      input.pause();
    },
  };
}
