import { type Client, createClient } from '@muster/client';
import { type MoveOptions, moveProject } from '../../cli/src/commands/service/move-project.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../../server/src/testing/start-test-app.ts';
import type { TestClock } from '../../server/src/testing/test-clock.ts';
import { createTarget } from './copy-places.ts';

interface Hooks {
  before: (step: string) => Promise<void>;
  after: (step: string) => void;
  /** Called with each body that is sent. */
  seen: (text: string) => void;
}

/** Such as `departure freeze`, `departure/rows agents`, `rows agents write`. */
function describeStep(path: string, body: unknown): string {
  const { step, table, rows } = body as { step?: string; table?: string; rows?: unknown };
  const last = path
    .replace(/.*\/project_arrivals(\/[^/]*\/)?/, 'arrival ')
    .replace(/.*\/departure/, 'departure');
  return [last.trim(), step, table, rows === undefined ? undefined : 'write']
    .filter((word) => word !== undefined)
    .join(' ');
}

/** A running installation on either engine. */
export interface Installation {
  readonly app: TestApp;
  readonly url: string;
  readonly client: Client;
  /** Called before each request of the command, and after its answer was made. Throw in them, and the command never gets the answer. */
  readonly hooks: Hooks;
  /** Absent on SQLite. */
  readonly databaseUrl: string | undefined;
  close(): Promise<void>;
}

export async function startInstallation(
  engine: 'sqlite' | 'postgres',
  {
    clock,
    name,
    ...options
  }: {
    readonly clock: TestClock;
    readonly name: string;
    readonly config?: TestAppOptions['config'];
    readonly groupIntervalMilliseconds?: number;
  },
): Promise<Installation> {
  const place = engine === 'postgres' ? await createTarget() : undefined;
  const app = await startTestApp({
    ...options,
    clock,
    config: { databaseUrl: place?.url, maxOpenErrorsPerAgent: 0, ...options.config },
  });
  const url = `https://${name}.example.com`;
  const hooks: Hooks = { before: async () => undefined, after: () => undefined, seen: () => undefined };
  const client = createClient({
    url,
    credential: { accessToken: app.admin },
    retry: { attempts: 1 },
    async fetch(address, init) {
      const { pathname, search } = new URL(address);
      const body = typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined;
      const step = describeStep(pathname, body);
      await hooks.before(step);
      const answer = await app.request(init.method ?? 'GET', pathname + search, {
        as: { access: app.admin },
        ...(body === undefined ? {} : { body }),
      });
      hooks.seen(String(init.body));
      hooks.seen(answer.text);
      hooks.after(step);
      if (answer.status === 500) throw new Error(app.logs.findLast((line) => line.includes('"err"')));
      return new Response(answer.text === '' ? null : answer.text, {
        status: answer.status,
        headers: Object.entries(answer.headers).map(([key, value]): [string, string] => [key, String(value)]),
      });
    },
  });
  return {
    app,
    url,
    client,
    hooks,
    databaseUrl: place?.url,
    async close() {
      await app.close();
      await place?.drop();
    },
  };
}

/** Waits by the clock of the test. */
export function move(
  source: Installation,
  target: Installation,
  projectID: string,
  options: Partial<MoveOptions> = {},
) {
  return moveProject({
    source,
    target,
    projectID,
    wait: async (milliseconds) => source.app.clock.advance(milliseconds),
    ...options,
  });
}
