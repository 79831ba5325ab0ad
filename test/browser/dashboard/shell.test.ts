import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, expectAccessible, startDashboard, views } from './start-dashboard.ts';

let dashboard: Dashboard;
let project: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  project = `/projects/${dashboard.app.project.id}`;
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

describe('the shell of the dashboard', () => {
  it.each(views)('has no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    const page = await dashboard.open('/', view);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${dashboard.address}${project}`);
    await page.getByText('Unhealthy').waitFor();
    await expectAccessible(page);
    expect(dashboard.faults).toEqual([]);
  });

  it('leads to the sign-in page without a session, and then to the address that was asked for', async () => {
    const context = await dashboard.signIn();
    await context.clearCookies();
    const page = await context.newPage();
    await page.goto(`${dashboard.address}${project}/causes?q=refused`);
    await page.getByLabel('Access token').fill(dashboard.app.test.admin);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Causes' }).waitFor();
    expect(page.url()).toBe(`${dashboard.address}${project}/causes?q=refused`);
  });
});
