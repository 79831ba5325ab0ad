/** When a visit of a project began and ended, in milliseconds. Nothing else is kept of it. */
interface Visits {
  /** When somebody last looked. */
  readonly seenAt: number;
  /** When the visit before this one ended. Absent: this is the first one. */
  readonly previousAt?: number;
}

/** After this time without a look, the next one is another visit. */
const pauseMilliseconds = 30 * 60_000;

/** Notes that somebody looks, and tells when they looked before. */
export function noteVisit(
  storage: Pick<Storage, 'getItem' | 'setItem'>,
  projectID: string,
  now: number,
): number | undefined {
  const key = `muster.visits.${projectID}`;
  const before = readVisits(storage.getItem(key));
  const isOther = before !== undefined && now - before.seenAt > pauseMilliseconds;
  const previousAt = isOther ? before.seenAt : before?.previousAt;
  const visits: Visits = { seenAt: now, ...(previousAt === undefined ? {} : { previousAt }) };
  storage.setItem(key, JSON.stringify(visits));
  return previousAt;
}

function readVisits(text: string | null): Visits | undefined {
  try {
    const { seenAt, previousAt } = JSON.parse(text ?? '{}') as Partial<Visits>; // checked in the next lines
    if (typeof seenAt !== 'number') return undefined;
    return typeof previousAt === 'number' ? { seenAt, previousAt } : { seenAt };
  } catch {
    return undefined;
  }
}
