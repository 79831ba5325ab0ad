import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listAgentErrorGroups, listAgents, listTokens } from '@muster/client';
import type { Dashboard } from '../dashboard/start-dashboard.ts';
import { launchBrowserWithPort } from '../launch-browser.ts';
import type { Lighthouse, LighthouseReport } from './install-lighthouse.ts';

interface Measured {
  readonly screen: string;
  readonly preset: 'desktop' | 'mobile';
  /** Of 100. */
  readonly scores: Readonly<Record<'performance' | 'accessibility' | 'bestPractices', number>>;
  /** What speed is made of. */
  readonly times: string;
  /** What has cost points in accessibility and best practices. */
  readonly faults: readonly string[];
}

interface MeasureOptions {
  readonly dashboard: Dashboard;
  readonly lighthouse: Lighthouse;
  /** Names of screens. Empty: all. */
  readonly only: readonly string[];
  /** Absent: all. */
  readonly categories?: readonly string[];
}

const categoryNames = ['performance', 'accessibility', 'best-practices'];
const timeAudits = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'total-blocking-time',
  'cumulative-layout-shift',
];
const presets = ['desktop', 'mobile'] as const;

/** What Lighthouse says about each screen, one after the other. */
export async function* measureScreens(options: MeasureOptions): AsyncGenerator<Measured> {
  const { dashboard, lighthouse, only, categories = categoryNames } = options;
  const profile = await mkdtemp(join(tmpdir(), 'muster-lighthouse-'));
  const { context, port } = await launchBrowserWithPort(profile);
  const flags = {
    port,
    output: 'json',
    logLevel: 'silent',
    onlyCategories: categories,
    // The session is in a cookie, which Lighthouse would remove.
    disableStorageReset: true,
    enableErrorReporting: false,
    // The stream of events never ends, so that Lighthouse waits for all of it. Every screen is there long before.
    maxWaitForLoad: 12_000,
  };
  const measure = async function* (screens: Readonly<Record<string, string>>): AsyncGenerator<Measured> {
    for (const [screen, path] of Object.entries(screens)) {
      if (only.length > 0 && !only.includes(screen)) continue;
      for (const preset of presets) {
        const config = preset === 'desktop' ? lighthouse.desktopConfig : undefined;
        yield {
          screen,
          preset,
          ...readReport(await lighthouse.run(`${dashboard.address}${path}`, flags, config)),
        };
      }
    }
  };
  try {
    yield* measure({ 'sign-in': '/sign_in' });
    const page = await context.newPage();
    await page.goto(`${dashboard.address}/sign_in`);
    await page.getByLabel('Access token').fill(dashboard.app.test.admin);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    await page.goto('about:blank');
    yield* measure(await screensOf(dashboard));
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  }
}

async function screensOf({ admin, app }: Dashboard): Promise<Readonly<Record<string, string>>> {
  const projectID = app.project.id;
  const project = `/projects/${projectID}`;
  const [causes, agents, tokens] = await Promise.all([
    listAgentErrorGroups(admin, { projectID, last: 1 }).first(),
    listAgents(admin, { projectID, status: 'unhealthy' }).first(),
    listTokens(admin, { projectID }).first(),
  ]);
  return {
    overview: project,
    causes: `${project}/causes`,
    cause: `${project}/causes/${causes.items[0]?.id}`,
    dismissals: `${project}/dismissals`,
    agents: `${project}/agents`,
    agent: `${project}/agents/${agents.items[0]?.id}`,
    tokens: `${project}/tokens`,
    token: `${project}/tokens/${tokens.items[0]?.id}`,
    members: `${project}/members`,
    audit: `${project}/audit_log`,
    alerts: `${project}/alerts`,
    settings: `${project}/settings`,
    account: '/account',
  };
}

function readReport({ categories, audits }: LighthouseReport): Pick<Measured, 'scores' | 'times' | 'faults'> {
  const scoreOf = (name: string) => Math.round((categories[name]?.score ?? 0) * 100);
  const faults = ['accessibility', 'best-practices'].flatMap((name) =>
    (categories[name]?.auditRefs ?? []).flatMap(({ id, weight }) => {
      const audit = audits[id];
      return weight > 0 && audit !== undefined && audit.score !== null && audit.score < 1
        ? [`${id}: ${audit.title}`]
        : [];
    }),
  );
  return {
    scores: {
      performance: scoreOf('performance'),
      accessibility: scoreOf('accessibility'),
      bestPractices: scoreOf('best-practices'),
    },
    times: timeAudits.map((id) => audits[id]?.displayValue ?? '–').join(', '),
    faults,
  };
}
