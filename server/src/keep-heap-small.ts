import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Below this the heap may grow as V8 sees fit: to collect a small one early costs more than it gives back. */
const smallHeapBytes = 64 * 1024 * 1024;
/** How much garbage may lie about in a large one before it is collected, in percent of what is in use. */
const garbagePercent = 20;
const lookIntervalMilliseconds = 1_000;

/**
 * Has the garbage of a large heap collected earlier than V8 would by itself, which lets the heap of a process grow to a
 * multiple of what is in use: most of what a storm leaves behind is garbage, and the memory is better spent on the
 * files of the database.
 */
export function keepHeapSmall(): void {
  let isLarge = false;
  const look = (): void => {
    const isLargeNow = getHeapStatistics().used_heap_size > smallHeapBytes;
    if (isLargeNow === isLarge) return;
    isLarge = isLargeNow;
    // 0: as V8 sees fit. It is read at the end of each collection.
    setFlagsFromString(`--heap-growing-percent=${isLarge ? garbagePercent : 0}`);
  };
  setInterval(look, lookIntervalMilliseconds).unref();
}
