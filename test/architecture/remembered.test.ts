import { describe, expect, it } from 'vitest';
import { productFiles, readSource } from './source-files.ts';

/** Fields of classes that hold entries or a cache. */
const holdsEntries =
  /^ {2}(?:readonly )?#\w+(?:: [^=\n]*\b(?:(?:Weak)?(?:Map|Set)<|LRUCache<|CredentialCache\b)| = new (?:(?:Weak)?(?:Map|Set)|LRUCache|PackedTable|NumberedTexts)\b)/m;

/** `http/` and `database/` know nothing about the meaning of rows. */
const isAsked = (path: string) => /^server\/src\/(?!http\/|database\/)/.test(path);

/** Data that comes from the database, which `forgetEverything` of build-app.ts clears: see there. */
const forgotten = [
  'server/src/agent-errors/limits/reached-limits.ts',
  'server/src/agent-errors/open-errors/known-open-errors.ts',
  'server/src/agents/agent-service.ts',
  'server/src/agents/registration-service.ts',
  'server/src/credentials/credential-cache.ts',
  'server/src/tokens/token-service.ts',
  'server/src/users/sessions/session-credentials.ts',
  'server/src/users/user-service.ts',
];

/** All other caches, with the reason why they need not be cleared. */
const reasons: Readonly<Record<string, string>> = {
  'server/src/agent-errors/intake/intake.ts': 'is of reports on their way to the database',
  'server/src/agent-errors/intake/new-error-rows-sqlite.ts': 'is of one batch, in its transaction',
  'server/src/agent-errors/groups/fold-pairs-sqlite.ts': 'is of one portion, in its transaction',
  'server/src/agent-errors/groups/project-counts-sqlite.ts': 'is of one portion, in its transaction',
  'server/src/summary/summary-service.ts': 'is of requests under way',
  'server/src/provisioned/provisioned-service.ts': 'is of one file, in its transaction',
  'server/src/agent-errors/limits/headroom.ts': 'ends by itself, and errs towards asking the database',
  'server/src/agent-errors/intake/reporting-agents-sqlite.ts':
    'is of the thread that writes, and forgotten in the transaction that changes it',
  'server/src/agent-errors/intake/two-generations.ts':
    'is held, and forgotten, by reporting-agents-sqlite.ts',
  'server/src/credentials/known-agents.ts': 'is held, and forgotten, by credential-cache.ts',
  'server/src/credentials/known-credentials.ts': 'is held, and forgotten, by credential-cache.ts',
  'server/src/credentials/report-rate.ts': 'counts reports of the last second',
  'server/src/credentials/token-use.ts': 'is on its way to the database, not from it',
  'server/src/tokens/token-uses.ts': 'is on its way to the database, not from it',
  'server/src/packed/numbered-texts.ts': 'is held, and forgotten, by whose records hold the numbers',
  'server/src/turns/look-ups.ts': 'is of look-ups under way, whose outcome is not kept there',
  'server/src/usage/agent-counts.ts': 'is believed for ten seconds at most',
  'server/src/usage/stored-bytes.ts': 'is a sum of many rows, counted anew again and again',
  'server/src/events/event-feed.ts':
    'is of open streams, whose positions each look compares with the database',
  'server/src/events/listener-checks.ts': 'the checks that are under way',
  'server/src/events/listener-limits.ts': 'counts open streams',
  'server/src/turns/fair-slots.ts': 'is of requests under way',
  'server/src/alerts/rules/rule-evaluator.ts': 'holds when projects were looked at, and no data of them',
  'server/src/audit/denied-requests.ts': 'is on its way to the database, not from it',
  'server/src/pages/dashboard-files.ts': 'holds files of the build, as read at the start',
  'server/src/write-behind.ts': 'is on its way to the database, not from it',
};

/** Caches of `http/` and the limits, whose data does not come from the database. */
const otherCaches = ['server/src/http/authentication/address-buckets.ts', 'server/src/usage/agent-counts.ts'];

/** Finds caches of a library, whose names need none of the words in the list above. */
const usesLruCache = (path: string) => readSource(path).includes("from 'lru-cache'");

describe('caches', () => {
  it('provide their size, limit, hits and misses for /metrics', () => {
    const caches = new Set([
      ...forgotten,
      ...otherCaches,
      ...productFiles().filter((path) => usesLruCache(path)),
    ]);
    expect([...caches].filter((path) => !/\bget \w*[fF]igures\(\)/.test(readSource(path)))).toEqual([]);
  });

  it('are all read by build-app.ts', () => {
    const readers = readSource('server/src/build-app.ts').match(/\b\w+(?:\.\w*[fF]igures)\b/g) ?? [];
    expect(new Set(readers)).toEqual(
      new Set([
        'users.credentialFigures',
        'sessionCredentials.credentialFigures',
        'tokens.credentialFigures',
        'agents.credentialFigures',
        'registrations.machineFigures',
        'knownOpen.figures',
        'reachedLimits.figures',
        'attempts.figures',
        'reporters.figures',
        'usage.countFigures',
      ]),
    );
  });
});

describe('data in memory', () => {
  const found = productFiles().filter((path) => isAsked(path) && holdsEntries.test(readSource(path)));

  it('is cleared by forgetEverything in build-app.ts, or is listed here with a reason', () => {
    const unknown = found.filter((path) => !forgotten.includes(path) && reasons[path] === undefined);
    expect(unknown).toEqual([]);
  });

  it('exists if it is listed here', () => {
    const named = [...forgotten, ...Object.keys(reasons)];
    expect(named.filter((path) => !found.includes(path))).toEqual([]);
  });
});
