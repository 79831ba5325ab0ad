import { redactErrorText } from '@muster/http/reports/error-text';
import type { ProjectSecrets } from '../../fleet/secret-remover.ts';
import type { Report } from '../report.ts';

/** Reports without what their agents were served as secrets by now. */
export function redactReports(secrets: ProjectSecrets, reports: readonly Report[]): Promise<Report[]> {
  return Promise.all(
    // Without the digest of the text before.
    reports.map(async ({ shortDigest: _, ...report }) => ({
      ...report,
      error: redactErrorText(report.error, await secrets.find(report.projectID)),
    })),
  );
}
