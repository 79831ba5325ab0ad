import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What axe finds on a page: for each rule, the first element that breaks it. */
export async function findViolations(page: Page): Promise<string[]> {
  // Without frames from other origins, both modes find the same, and this one does not open a second page that loads axe too.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}
