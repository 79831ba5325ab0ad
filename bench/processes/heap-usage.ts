import { fileURLToPath } from 'node:url';

/** Environment of a Node program whose heap is measured. */
export const nodeOptionsThatTellHeap = `--expose-gc --import=${fileURLToPath(new URL('tell-heap.mjs', import.meta.url))}`;

/** A program that was started with these options. */
interface TellingProcess {
  kill(signal: 'SIGUSR2'): unknown;
  stdout(): string;
}

const pollMilliseconds = 5;

/** Bytes in use after forced collections, including memory outside of the heap, such as buffers. */
export async function heapBytes(program: TellingProcess): Promise<number> {
  const next = countTold(program) + 1;
  program.kill('SIGUSR2');
  for (;;) {
    const bytes = new RegExp(`^heap ${next}: (\\d+) bytes$`, 'm').exec(program.stdout())?.[1];
    if (bytes !== undefined) return Number(bytes);
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
  }
}

function countTold({ stdout }: TellingProcess): number {
  return stdout().match(/^heap \d+: /gm)?.length ?? 0;
}
