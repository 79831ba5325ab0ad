import type { Clock, NewID } from '../../foundation/clock.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import type { UserPrincipal } from '../../foundation/credentials/principal.ts';
import { grantsOf } from '../../foundation/credentials/stored-role.ts';
import type { Database } from '../../foundation/database/database.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { OidcRoles } from '../../foundation/settings/oidc-roles.ts';
import type { AuditService } from '../../record/audit/audit-service.ts';
import type { OidcCheck, OidcIdentity } from './oidc-credential.ts';
import { type Access, type GivenAccess, uniteAccess } from './user-access.ts';
import * as store from './user-store.ts';

interface ProvidedUsersOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'record'>;
  readonly oidc: OidcCheck | undefined;
  readonly oidcRoles: OidcRoles | undefined;
  /** Called in the same turn of the event loop in which other groups of a user were stored. */
  readonly onChanged: (userID: string) => void;
}

/**
 * Users of the identity provider. What MUSTER_OIDC_ROLES gives to a user is decided by the newest token that was seen: the values of its claim are
 * stored, so that access tokens of the user, which contain no claims, follow them.
 */
export class ProvidedUsers {
  readonly #options: ProvidedUsersOptions;

  constructor(options: ProvidedUsersOptions) {
    this.#options = options;
  }

  isIssuedToken(value: string): boolean {
    return this.#options.oidc?.isIssuedToken(value) ?? false;
  }

  /** The user of a token of the identity provider. @throws Refusal with a 401 code or identity_provider_unavailable */
  async authenticate(value: string): Promise<UserPrincipal> {
    const { oidc } = this.#options;
    if (oidc === undefined) throw new Refusal('invalid_credential');
    const identity = await oidc.verify(value);
    const { user, memberships } = await this.#meet(identity);
    return {
      kind: 'access',
      userID: user.id,
      name: user.name,
      accessTokenID: undefined,
      isProvided: true,
      access: this.accessOf({ user, memberships }),
      isNarrowed: false,
      needs: undefined,
      expiresAt: identity.expiresAt,
    };
  }

  /** The user who has signed in through the provider. */
  async signIn(identity: OidcIdentity): Promise<store.UserRow> {
    return (await this.#meet(identity)).user;
  }

  /** Creates or updates the user. */
  async #meet(identity: OidcIdentity): Promise<store.UserWithMemberships> {
    const { read } = this.#options.database;
    const known = await store.findProvidedUser(read, identity.issuer, identity.subject);
    const user = this.#isCurrent(known?.user, identity)
      ? known.user
      : await this.#update(known?.user, identity);
    return { user, memberships: known?.memberships ?? [] };
  }

  /** All that a user may do: as an administrator, as a member of projects, and by the values of the claim. */
  accessOf({ user, memberships }: store.UserWithMemberships): Access {
    const stored: GivenAccess = {
      isAdministrator: user.is_administrator === 1,
      everyProject: [],
      projects: new Map(memberships.map((one) => [one.projectID, grantsOf(one)])),
    };
    const mapped = this.valuesOf(user).flatMap((value) => this.#options.oidcRoles?.get(value) ?? []);
    return uniteAccess([stored, ...mapped]);
  }

  /** The stored values of the claim that have a role now: a start may have changed the roles. */
  valuesOf(user: store.UserRow): readonly string[] {
    return readValues(user).filter((value) => this.#options.oidcRoles?.has(value));
  }

  #isCurrent(user: store.UserRow | undefined, identity: OidcIdentity): user is store.UserRow {
    if (user === undefined || user.name !== identity.name) return false;
    const { issuedAt } = identity;
    const newest = user.claims_at ?? 0;
    if (issuedAt < newest) return true;
    if ((user.claim_values ?? '[]') !== this.#storedValues(identity)) return false;
    // Otherwise, its time is stored: tokens that were issued before it must not bring back what it does not have.
    return issuedAt === newest;
  }

  async #update(known: store.UserRow | undefined, identity: OidcIdentity): Promise<store.UserRow> {
    const { database, newID, clock, onChanged, audit } = this.#options;
    const { issuer, subject, name, issuedAt } = identity;
    const row = {
      id: newID(),
      name,
      issuer,
      subject,
      created_at: clock(),
      claim_values: this.#storedValues(identity),
      claims_at: issuedAt,
    };
    const isChanged = known !== undefined && (known.claim_values ?? '[]') !== row.claim_values;
    const user = await database.write.transaction().execute(async (trx) => {
      const updated = await store.upsertProvidedUser(trx, row);
      const change = {
        projectID: null,
        target: { kind: 'user', id: updated.id, name: updated.name },
        after: { name: updated.name, claimValues: this.valuesOf(updated) },
      } as const;
      const by = { kind: 'system', name: 'identity provider' } as const;
      if (updated.id === row.id) await audit.record(trx, by, { ...change, action: 'user.created' });
      else if (isChanged) {
        const before = { name: known.name, claimValues: this.valuesOf(known) };
        await audit.record(trx, by, { ...change, action: 'user.updated', before });
      }
      if (isChanged) await noteCredentialChange(trx);
      return updated;
    });
    if (isChanged) onChanged(user.id);
    return user;
  }

  /** Only values that have a role, in one order: a user may be in very many groups. */
  #storedValues({ claimValues }: OidcIdentity): string {
    const { oidcRoles } = this.#options;
    return JSON.stringify([...new Set(claimValues)].filter((value) => oidcRoles?.has(value)).toSorted());
  }
}

function readValues({ claim_values: values }: store.UserRow): readonly string[] {
  return values === null ? [] : (JSON.parse(values) as string[]); // only this file writes it
}
