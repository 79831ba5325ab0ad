/**
 * Flags of V8 that every file of ours gives to the service when it starts (docs/decisions/0032-flags-are-given-at-the-start.md). NODE_OPTIONS takes
 * only the first.
 */
export const startFlags = [
  // A young generation of at most 12 MB, so that less memory is kept for garbage.
  '--max-semi-space-size=4',
  // Collects the old generation when its garbage is half of the live data. V8 by itself lets the heap grow to a multiple of it.
  '--heap-growing-percent=50',
  // V8 allocates objects in the old generation if earlier ones of the same place in the code survived, as those of requests do that wait for a
  // commit. Each such object kept its whole request until the old generation was collected, and a third of the processor time of a report went into
  // copying requests that were already answered.
  '--no-allocation-site-pretenuring',
  // Collects the young generation, which is small, on the thread that fills it. Helper threads took more time to start and to wait for than they saved.
  '--no-parallel-scavenge',
] as const;

/** Keeps `malloc` from holding memory for each thread. It is read when a process starts, too. */
export const startVariables = { MALLOC_ARENA_MAX: '1' } as const;
