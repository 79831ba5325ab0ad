import type { ProvisionedFleet } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { FleetService } from '../../fleet/fleets/fleet-service.ts';
import type { NewID } from '../../foundation/clock.ts';
import { requireGrant } from '../../foundation/credentials/principal.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { settings } from '../../foundation/settings/config.ts';
import {
  differingFields,
  type Provisioning,
  type ProvisionOutcome,
  skipped,
} from '../provisioning-record/provisioned-service.ts';

interface ProvisionedFleetServiceOptions {
  readonly newID: NewID;
  readonly fleets: Pick<
    FleetService,
    'changeWithin' | 'createWithin' | 'findNamed' | 'lockNames' | 'noteChange' | 'prepareWithin'
  >;
}

const byFile = { kind: 'system', name: settings.provisionFile.variable } as const;

/** Fleets of projects as a file names them. */
export class ProvisionedFleetService {
  readonly #options: ProvisionedFleetServiceOptions;

  constructor(options: ProvisionedFleetServiceOptions) {
    this.#options = options;
  }

  /** The fleets that the file names, before any row is locked. */
  async lock(trx: Kysely<Tables>, projectID: string): Promise<void> {
    await this.#options.fleets.lockNames(trx, projectID);
  }

  /** After all other statements but `noteCredentialChange`. */
  async noteChange(trx: Kysely<Tables>): Promise<void> {
    await this.#options.fleets.noteChange(trx);
  }

  /**
   * Makes a fleet as a file says, inside a transaction that has locked the names of fleets of its project. Returns what was changed.
   *
   * @throws Refusal invalid_body, permission_denied, invalid_fleet_config, too_many_fleets
   */
  async apply(by: Provisioning, wanted: ProvisionedFleet): Promise<ProvisionOutcome[]> {
    const { fleets, newID } = this.#options;
    const { trx, projectID, memory } = by;
    const { name, allAtOnce = false } = wanted;
    const key = `${projectID}/${name}`;
    memory.refuseSecond('fleet', key, '/name');
    const row = await fleets.findNamed(trx, projectID, name);
    // Also that nothing changes tells what the fleet has.
    requireGrant(by.held, row === undefined ? 'create:fleet' : 'read:fleet');
    if (row === undefined && (await memory.has('fleet', key)))
      return [
        skipped(
          { id: projectID, name },
          'it was created from a file and has been renamed or deleted since; choose another name for a new fleet',
        ),
      ];
    const content = await fleets.prepareWithin(trx, row ?? { project_id: projectID }, wanted);
    const author = by.user ?? byFile;
    await memory.note('fleet', key);
    if (row === undefined) {
      const id = newID();
      const reporting = wanted.reporting ?? 'on';
      const input = { name, reporting };
      await fleets.createWithin(trx, author, { id, projectID, input, content });
      const fields = differingFields({}, { name, reporting, version: '1' });
      return [{ action: 'create', id, name, fields, reason: null }];
    }
    const reporting = wanted.reporting ?? row.reporting;
    const isOther = reporting !== row.reporting;
    const { id } = row;
    const given = await fleets.changeWithin(trx, author, row, {
      content,
      reporting: allAtOnce ? reporting : row.reporting,
      isServed: allAtOnce,
    });
    const changes: ProvisionOutcome[] = [];
    if (given?.isNew === true) {
      requireGrant(by.held, 'update:fleet');
      const { before, after, isServed } = given;
      changes.push({
        action: 'update',
        id,
        name,
        fields: differingFields(
          { version: before === null ? null : `${before}`, reporting: row.reporting },
          { version: `${after}`, reporting: isServed ? reporting : row.reporting },
        ),
        reason: isServed
          ? null
          : `version ${after} was made, and no agent gets it yet; run: muster rollout start ${id} ${after} --reason TEXT`,
      });
    }
    if (isOther && !allAtOnce) {
      changes.push(
        skipped(row, 'all agents would get another reporting at once; set allAtOnce to true for that'),
      );
    }
    return changes;
  }
}
