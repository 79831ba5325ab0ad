import type { TracedCall } from './read-trace.ts';

/** A resource that was created and answered with 201. */
export interface Creation {
  readonly id: string;
  /** What the commit must contain: its id, and the data that was sent. */
  readonly parts: readonly string[];
}

/**
 * `durable`: a commit with all of its parts was written to the log, and a sync of the log that began later succeeded
 * before the answer began. `unwritten`: there was no such commit yet. `unsynced`: there was such a commit, but no such
 * sync. `unanswered`: no answer contains the id.
 */
export type Verdict = 'durable' | 'unwritten' | 'unsynced' | 'unanswered';

/** Judges each creation by the order of system calls. */
export function checkAnswers(calls: readonly TracedCall[], creations: readonly Creation[]): Verdict[] {
  const commits = readCommits(calls);
  const answers = calls.filter(
    ({ target, data }) => target.startsWith('TCP') && data.includes('HTTP/1.1 201'),
  );
  return creations.map(({ id, parts }) => {
    const answer = answers.find(({ data }) => data.includes(`"id":"${id}"`));
    if (answer === undefined) return 'unanswered';
    const written = commits.filter(
      ({ pages, written }) =>
        written < answer.began && parts.every((part) => pages.some((page) => page.includes(part))),
    );
    if (written.length === 0) return 'unwritten';
    return written.some(({ synced }) => synced < answer.began) ? 'durable' : 'unsynced';
  });
}

/** Returns the number of answers that acknowledge a new error. */
export function countCreatedReports(calls: readonly TracedCall[]): number {
  return calls
    .filter(({ target }) => target.startsWith('TCP'))
    .reduce((count, { data }) => count + data.split(/muster-agent-error: created/i).length - 1, 0);
}

interface Commit {
  readonly pages: readonly string[];
  /** When its last page was written. */
  readonly written: number;
  /** When the first sync that began later had succeeded; infinite if it failed or never came. */
  readonly synced: number;
}

const frameHeaderBytes = 24;
const writes = ['pwrite64', 'pwritev', 'pwritev2', 'write', 'writev'];
const syncs = ['fsync', 'fdatasync'];

/**
 * Reads the commits from the writes to a WAL of SQLite (its file format, section 4). A frame is a header and a page; the
 * header of the last frame of a commit contains the size of the database, which is 0 in all others.
 */
function readCommits(calls: readonly TracedCall[]): Commit[] {
  const commits: Commit[] = [];
  let unsynced: { pages: string[]; written: number }[] = [];
  let pages: string[] = [];
  let isLastFrame = false;
  for (const call of calls) {
    if (!call.target.endsWith('-wal')) continue;
    if (syncs.includes(call.name)) {
      // A sync covers what was written before it began. A failed one guarantees nothing.
      const covered = unsynced.filter(({ written }) => written < call.began);
      unsynced = unsynced.filter(({ written }) => written >= call.began);
      const synced = call.result === 0 ? call.ended : Number.POSITIVE_INFINITY;
      commits.push(...covered.map((commit) => ({ ...commit, synced })));
    } else if (writes.includes(call.name)) {
      if (call.result !== call.data.length) {
        pages = [];
        isLastFrame = false;
      } else if (call.data.length === frameHeaderBytes) {
        isLastFrame = call.data.slice(4, 8) !== '\0\0\0\0';
      } else {
        pages.push(call.data);
        if (!isLastFrame) continue;
        unsynced.push({ pages, written: call.ended });
        pages = [];
        isLastFrame = false;
      }
    }
  }
  return [...commits, ...unsynced.map((commit) => ({ ...commit, synced: Number.POSITIVE_INFINITY }))];
}
