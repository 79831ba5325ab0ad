import picocolors from 'picocolors';
import { type Terminal, wantsColor } from '../terminal/terminal.ts';

/** The meaning of a colour. */
export type Tone = 'good' | 'bad' | 'warning' | 'faint' | 'strong';

/** Decorates texts by their meaning on a terminal with colours; elsewhere it leaves them unchanged. */
export function createTones({
  stdout,
  env,
}: Pick<Terminal, 'stdout' | 'env'>): Readonly<Record<Tone, (text: string) => string>> {
  const colors = picocolors.createColors(wantsColor(stdout, env));
  return {
    good: colors.green,
    bad: colors.red,
    warning: colors.yellow,
    faint: colors.dim,
    strong: colors.bold,
  };
}
