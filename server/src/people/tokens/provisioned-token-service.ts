import {
  type ApplyProvisioning,
  type Grant,
  isProvisionableToken,
  presets,
  provisionedGraceSeconds,
  readProjectToken,
} from '@muster/contract';
import { type Clock, parseTimestamp, toNullableTimestamp, toTimestamp } from '../../foundation/clock.ts';
import { requireGrant } from '../../foundation/credentials/principal.ts';
import { readGrants } from '../../foundation/credentials/read-grants.ts';
import type { Database } from '../../foundation/database/database.ts';
import { invalidBody } from '../../foundation/refusal.ts';
import { Secret } from '../../foundation/secret.ts';
import {
  differingFields,
  type Provisioning,
  type ProvisionOutcome,
  skipped,
} from '../provisioning-record/provisioned-service.ts';
import type { RotationService } from '../rotations/rotation-service.ts';
import { checkGiftOfUser, planChange, planHandOver } from './delegation.ts';
import { statusAt } from './token.ts';
import { latestExpiry, refuseLasting } from './token-input.ts';
import { parseNetworks, planLimits } from './token-limits.ts';
import { grantsOf, type TokenService } from './token-service.ts';
import * as store from './token-store.ts';

type ProvisionedToken = NonNullable<ApplyProvisioning['projects'][number]['tokens']>[number];

interface ProvisionedTokenServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly rotations: RotationService;
  readonly tokens: Pick<TokenService, 'insert'>;
  readonly providedTokenDays: number;
}

/** What a file says of a token. Undefined fields stay as they are. */
interface Wanted {
  readonly id: string;
  readonly value: Secret;
  readonly name: string;
  readonly grants: readonly Grant[] | undefined;
  readonly expiresAt: number | null | undefined;
  readonly limits: ReturnType<typeof planLimits>;
  readonly graceSeconds: number;
}

/** Project tokens whose values a file has chosen. Their ids are in the values. */
export class ProvisionedTokenService {
  readonly #options: ProvisionedTokenServiceOptions;

  constructor(options: ProvisionedTokenServiceOptions) {
    this.#options = options;
  }

  /** Locks all that will be changed, in the one order of locks. */
  async lock(trx: Provisioning['trx'], tokenIDs: readonly string[]): Promise<void> {
    const { database, rotations } = this.#options;
    await store.lockAllWithDescendants(trx, database.engine, tokenIDs);
    await rotations.lockEarlier(trx, tokenIDs);
  }

  /**
   * Makes a token as a file says, inside a transaction that has locked it and its project. Returns what was changed.
   *
   * @throws Refusal invalid_body, invalid_permission, permission_denied, permissions_exceed_own, expiry_exceeds_own, too_many_valid_values
   */
  async apply(by: Provisioning, token: ProvisionedToken): Promise<ProvisionOutcome[]> {
    const wanted = readWanted(token, by.projectID);
    by.memory.refuseSecond('token', wanted.id, '/value');
    const row = await store.findToken(by.trx, wanted.id);
    if (row === undefined) return this.#create(by, wanted);
    if (row.project_id !== by.projectID) throw unusableValue();
    // From here on, answers tell of the token: its name, who revoked it and why.
    requireGrant(by.held, 'read:token');
    if (row.revoked_at !== null) return [skipped(row, explainRevoked(row))];
    const changed = [...(await this.#update(by, row, wanted)), ...(await this.#rotate(by, row, wanted))];
    if (!changed.some(({ action }) => action === 'skip')) await note(by, wanted);
    return changed;
  }

  async #create(by: Provisioning, wanted: Wanted): Promise<ProvisionOutcome[]> {
    const { clock, tokens } = this.#options;
    const { id, name, value } = wanted;
    if (await by.memory.has('token', id)) {
      return [
        skipped(
          wanted,
          'it was created from a file and has ended since; choose another value for a new token',
        ),
      ];
    }
    const { expiresAt = null } = wanted;
    if (expiresAt !== null && expiresAt <= clock()) {
      return [skipped(wanted, `it would have expired at ${toTimestamp(expiresAt)}`)];
    }
    await this.#refuseSecond(by, wanted);
    const grants = wanted.grants ?? presets.agent;
    if (by.user !== undefined) {
      requireGrant(by.held, 'create:token');
      checkGiftOfUser(by.held, grants);
    }
    const { row } = await tokens.insert(by.trx, {
      projectID: by.projectID,
      name,
      grants,
      limits: wanted.limits,
      expiresAt: this.#limitExpiry(by, wanted.expiresAt),
      creator: by.user,
      creatorName: 'MUSTER_PROVISION_FILE',
      value: { id, secret: value },
    });
    await note(by, wanted);
    return [{ action: 'create', id, name, fields: differingFields({}, describe(row)), reason: null }];
  }

  async #update(by: Provisioning, row: store.TokenRow, wanted: Wanted): Promise<ProvisionOutcome[]> {
    const { clock } = this.#options;
    const expiresAt = wanted.expiresAt === undefined ? row.expires_at : wanted.expiresAt;
    const before = describe(row);
    const { grants } = wanted;
    const after = describe({
      ...row,
      ...wanted.limits,
      name: wanted.name,
      permissions: grants === undefined ? row.permissions : JSON.stringify(grants),
      expires_at: expiresAt,
    });
    const fields = differingFields(before, after);
    if (fields.length === 0) return [];
    if (expiresAt !== row.expires_at && expiresAt !== null && expiresAt <= clock()) {
      return [skipped(row, `its expiresAt, ${toTimestamp(expiresAt)}, is over; to end the token, revoke it`)];
    }
    if (by.user !== undefined) {
      requireGrant(by.held, 'update:token');
      if (expiresAt !== row.expires_at) this.#limitExpiry(by, expiresAt);
    }
    const held = by.user === undefined ? undefined : by.held;
    const asked = { grants, expiresAt: wanted.expiresAt };
    const change = await planChange(by.trx, by.user, row, asked, held);
    await store.updateToken(by.trx, row.id, { ...change, ...wanted.limits, name: wanted.name });
    if (change.expires_at !== null) await store.endDescendantsBy(by.trx, row.id, change.expires_at);
    return [{ action: 'update', id: row.id, name: wanted.name, fields, reason: null }];
  }

  async #rotate(by: Provisioning, row: store.TokenRow, wanted: Wanted): Promise<ProvisionOutcome[]> {
    const { clock, rotations } = this.#options;
    const { id, name, value, graceSeconds } = wanted;
    const digest = value.digest();
    if (row.digest === digest) return [];
    if ((await by.memory.has('value', digest)) || (await rotations.isEarlier(by.trx, id, digest))) {
      return [
        skipped(
          wanted,
          'the value in the file is from before a rotation; put the newest value there, or another new one',
        ),
      ];
    }
    const expiresAt = wanted.expiresAt === undefined ? row.expires_at : wanted.expiresAt;
    if (statusAt(clock(), { expiresAt, revokedAt: null }) === 'expired') {
      return [skipped(wanted, 'it has expired, so it gets no new value')];
    }
    if (by.user !== undefined) {
      requireGrant(by.held, 'update:token');
      this.#limitExpiry(by, expiresAt);
      await planHandOver(by.trx, by.user, row, by.held);
    }
    const { change } = await rotations.rotate(
      by.trx,
      row,
      // Only the credential of a token that rotates itself matters, and the new value is none that it has had.
      { input: { graceSeconds }, key: undefined, credential: value },
      value,
    );
    await store.updateToken(by.trx, id, { ...change, rotated_by_id: by.user?.userID ?? null });
    const fields = [{ field: 'graceSeconds', before: null, after: `${graceSeconds}` }];
    return [{ action: 'rotate', id, name, fields, reason: null }];
  }

  /**
   * A changed value that contains another id would leave the token with the old value valid, and somebody who has changed the value in the file
   * believes the opposite.
   */
  async #refuseSecond(by: Provisioning, { id, name }: Wanted): Promise<void> {
    const now = this.#options.clock();
    for (const other of await store.listValidNamed(by.trx, { projectID: by.projectID, name, now })) {
      if (other === id || !(await by.memory.has('token', other))) continue;
      requireGrant(by.held, 'read:token');
      throw invalidBody([
        {
          path: '/value',
          message: `contains another id than the token '${name}' that a file has created before (${other}). To give that token a new value, make it with 'muster token generate --project ${by.projectID} --token ${other}'. To create a second token, give it another name`,
        },
      ]);
    }
  }

  /** @throws Refusal expiry_exceeds_own */
  #limitExpiry({ user }: Provisioning, expiresAt: number | null | undefined): number | null {
    const { clock, providedTokenDays } = this.#options;
    const until = user === undefined ? undefined : latestExpiry(user, providedTokenDays, clock());
    if (expiresAt === undefined && until !== undefined) return until;
    refuseLasting(expiresAt, until);
    return expiresAt ?? null;
  }
}

/** @throws Refusal invalid_body, invalid_permission */
function readWanted(token: ProvisionedToken, projectID: string): Wanted {
  const ids = isProvisionableToken(token.value) ? readProjectToken(token.value) : undefined;
  if (ids === undefined || ids.projectID !== projectID) throw unusableValue();
  const { permissions, expiresAt: text } = token;
  const expiresAt = text === undefined || text === null ? text : parseTimestamp(text);
  if (expiresAt === undefined && text !== undefined) {
    throw invalidBody([
      { path: '/expiresAt', message: 'must be an ISO 8601 time with its zone, such as 2027-01-31T00:00:00Z' },
    ]);
  }
  return {
    id: ids.tokenID,
    value: new Secret(token.value),
    name: token.name,
    grants: permissions === undefined ? undefined : readGrants(permissions),
    expiresAt,
    limits: planLimits(token),
    graceSeconds: token.graceSeconds ?? provisionedGraceSeconds,
  };
}

function unusableValue() {
  return invalidBody([
    {
      path: '/value',
      message:
        "is not a complete token of this project: make one with 'muster token generate --project', and the id of the project",
    },
  ]);
}

async function note({ memory }: Provisioning, { id, value }: Wanted): Promise<void> {
  await memory.note('token', id);
  await memory.note('value', value.digest());
}

function describe(
  row: Pick<
    store.TokenRow,
    'name' | 'permissions' | 'expires_at' | 'allowed_networks' | 'reports_per_second'
  >,
) {
  const { allowed_networks: networks, reports_per_second: perSecond } = row;
  return {
    name: row.name,
    permissions: grantsOf(row).join(', '),
    expiresAt: toNullableTimestamp(row.expires_at),
    allowedNetworks: networks === null ? null : parseNetworks(networks).join(', '),
    reportsPerSecond: perSecond === null ? null : `${perSecond}`,
  };
}

function explainRevoked({
  revoked_at: at,
  revoked_by_name: by,
  revoke_reason: reason,
}: store.TokenRow): string {
  const who = by === null ? '' : ` by ${by}`;
  const when = at === null ? '' : ` at ${toTimestamp(at)}`;
  const why = reason === null ? '' : ` (${reason})`;
  return `it was revoked${who}${when}${why}; choose another value for a new token`;
}
