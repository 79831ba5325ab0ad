import { Refusal } from '../../foundation/refusal.ts';
import { ConfigError } from '../../foundation/settings/config.ts';
import type { ReadProvisionFile } from './provision-file.ts';
import type { ProvisioningService } from './provisioning-service.ts';

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/**
 * Applies the file of MUSTER_PROVISION_FILE at the start, with a log line for each change.
 *
 * @throws ConfigError that names the line, if the file cannot be applied. Nothing is changed then.
 */
export async function applyProvisionFile(
  file: ReadProvisionFile,
  provisioning: Pick<ProvisioningService, 'apply'>,
  log: Log,
): Promise<void> {
  const { changes } = await provisioning.apply(file.request, undefined).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.fields === undefined) throw error;
    throw new ConfigError(file.explain(error.fields));
  });
  for (const { action, resource, projectID, project, id, name, fields, reason } of changes) {
    const change = { action, resource, projectID, project, id, name };
    if (action === 'skip') {
      log.warn({ ...change, reason }, 'MUSTER_PROVISION_FILE: an entry was left as it is');
    } else {
      log.info(
        { ...change, fields: fields.map(({ field }) => field), ...(reason !== null && { reason }) },
        'MUSTER_PROVISION_FILE: an entry was applied',
      );
    }
  }
}
