import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Below this size, V8's own heuristics apply: collecting a small heap early costs more than it frees. */
const smallHeapBytes = 64 * 1024 * 1024;
/** Garbage in a large heap that starts a collection, in percent of the live data. */
const garbagePercent = 20;
const lookIntervalMilliseconds = 1_000;

/**
 * Makes V8 collect a large heap earlier than its default, which lets the heap grow to a multiple of the live data. After a storm most of the heap is
 * garbage, and the page cache for the database files is a better use of the memory.
 */
export function keepHeapSmall(): void {
  let isLarge = false;
  const look = (): void => {
    const isLargeNow = getHeapStatistics().used_heap_size > smallHeapBytes;
    if (isLargeNow === isLarge) return;
    isLarge = isLargeNow;
    // 0: V8's default. V8 reads it at the end of each collection.
    setFlagsFromString(`--heap-growing-percent=${isLarge ? garbagePercent : 0}`);
  };
  setInterval(look, lookIntervalMilliseconds).unref();
}
