import { systemRandomBytes } from '../../foundation/secret.ts';
import { SecretBox } from '../../foundation/secret-box.ts';
import { readSecretKeys } from '../../foundation/secret-keys.ts';
import type { Config } from '../../foundation/settings/config.ts';
import type { Report } from './finding.ts';
import { readTable } from './read-table.ts';

interface StoredSecret {
  readonly fleet: string;
  readonly name: string;
  readonly key_id: string;
}

const sql = `select fleets.name as fleet, fleet_secrets.name, key_id
from fleet_secrets join fleets on fleets.id = fleet_id join projects on projects.id = fleets.project_id
where ended_at is null and fleets.deleted_at is null and projects.deleted_at is null
order by fleets.name, fleet_secrets.name`;

/** Whether the service can open the secrets that agents get. */
export async function checkFleetSecrets(config: Config, report: Report): Promise<void> {
  const secrets = await readTable<StoredSecret>(config, 'fleet_secrets', sql);
  if (secrets.length === 0) return;
  const keys = readSecretKeys({
    setting: config.secretKey,
    dataDirectory: config.dataDirectory,
    mayCreate: false,
    randomBytes: systemRandomBytes,
  });
  const { keyIDs } = new SecretBox(keys, systemRandomBytes);
  const closed = secrets.filter(({ key_id: keyID }) => !keyIDs.includes(keyID));
  for (const { fleet, name } of closed) {
    report(
      'failure',
      `The secret '${name}' of the fleet '${fleet}' is stored with another key than MUSTER_SECRET_KEY or the file secret-key. Agents that use it go on with the configuration that they have, and it is not removed from what they report.`,
      `Put back the key, or set the secret again: muster fleet secrets ${fleet} --set ${name} --file FILE --all-at-once`,
    );
  }
  if (closed.length === 0) report('ok', 'All secrets of fleets can be opened.');
}
