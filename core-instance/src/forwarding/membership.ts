import type { SiteLog } from '../site-log.ts';
import type { IdentityFile } from '../state/identity-file.ts';
import { StateError } from '../state/state-error.ts';
import type { CentreClient } from './centre-client.ts';
import { CentreFailure } from './centre-failure.ts';

interface MembershipOptions {
  readonly client: Pick<CentreClient, 'join' | 'listCredentials' | 'rotate'>;
  readonly identity: IdentityFile;
  /** Undefined if no project token was given. @throws StateError that says why it cannot be read (as a rejection) */
  readonly readProjectToken: () => Promise<string | undefined>;
  readonly name: string | undefined;
  readonly version: string;
  readonly url: string;
  readonly log: SiteLog;
}

/** The place of this core instance at the centre: it joins once, with a project token, and then has a credential of its own. */
export class Membership {
  readonly #options: MembershipOptions;
  #warned: string | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  get isJoined(): boolean {
    return this.#options.identity.membership !== undefined && !this.isMoving;
  }

  /** True if its project was at another address when it was last heard. */
  get isMoving(): boolean {
    const { identity, url } = this.#options;
    return identity.membership !== undefined && identity.url !== url;
  }

  /** Its own credential. @throws CentreFailure until the centre has accepted it, so that nothing else is asked there or sent before */
  get token(): string {
    const { membership } = this.#options.identity;
    if (membership === undefined || this.isMoving)
      throw new CentreFailure('unauthorized', 'it has not joined yet');
    return membership.token;
  }

  /** @throws CentreFailure, or StateError for what a person has to change (as a rejection) */
  async join(): Promise<void> {
    const { readProjectToken, url } = this.#options;
    if (this.isMoving) return this.#follow();
    const projectToken = await readProjectToken();
    if (projectToken === undefined) {
      throw new StateError(
        `This core instance has not joined ${url} yet, and needs a project token to do so. Create one with: muster token create NAME --permission create:core_instance, and name its file with --token-file.`,
      );
    }
    try {
      await this.#joinWith(projectToken);
    } catch (error) {
      throw error instanceof CentreFailure ? explainRefusal(error, url) : error;
    }
  }

  async #joinWith(projectToken: string): Promise<void> {
    const { client, identity, name, version, url, log } = this.#options;
    const { instanceKey } = identity;
    const joined = await client.join(projectToken, { name, version, instanceKey });
    const { id, projectID, name: givenName, token } = joined;
    await identity.join({ id, projectID, name: givenName, token }, url);
    log.info(
      `Joined ${url} as '${givenName}'. The core instance has a credential of its own now: the project token may be revoked.`,
      { id, projectID },
    );
  }

  /**
   * Whoever accepts a credential of it there, or a token of its project, gets what waits here: no foreign installation knows them. Until then, nothing
   * else is sent there, and none of them is given up.
   *
   * @throws CentreFailure (as a rejection)
   */
  async #follow(): Promise<void> {
    const { client, identity, readProjectToken, url, log } = this.#options;
    const { membership, url: before } = identity;
    if (membership === undefined) return;
    const { earlierToken, ...current } = membership;
    const refusalOf = (token: string) =>
      client.listCredentials(token, undefined).then(() => undefined, ifUnauthorized);
    const failure = await refusalOf(current.token);
    if (failure === undefined) await identity.join(membership, url);
    else if (earlierToken !== undefined && (await refusalOf(earlierToken)) === undefined)
      await identity.join({ ...current, token: earlierToken }, url);
    else {
      const projectToken = await readProjectToken().catch(() => undefined);
      if (projectToken === undefined) throw failure;
      await this.#joinWith(projectToken);
    }
    log.info(`This core instance has followed its project from ${before} to ${url}.`);
  }

  /**
   * Gets another credential, because Muster says that this one ends. It is on the disk before it is used, and this one is kept until Muster has accepted
   * the other. If the answer is lost, the next call replaces what was lost.
   */
  async rotate(): Promise<void> {
    const { client, identity, log } = this.#options;
    const { membership } = identity;
    if (membership === undefined) return;
    try {
      const { token } = await client.rotate(membership.token);
      await identity.join({ ...membership, token, earlierToken: membership.token });
      log.info('This core instance has a new credential, because its earlier one was rotated in Muster.');
    } catch (error) {
      this.#warn(`The credential could not be rotated, and it is tried again: ${messageOf(error)}`);
    }
  }

  /** Muster has accepted the current credential. */
  async confirm(): Promise<void> {
    const { identity } = this.#options;
    const { membership } = identity;
    this.#warned = undefined;
    if (membership?.earlierToken === undefined) return;
    const { earlierToken: _, ...rest } = membership;
    await identity
      .join(rest)
      .catch((error: unknown) =>
        this.#warn(`The earlier credential could not be deleted: ${messageOf(error)}`),
      );
  }

  /**
   * Muster does not accept the current credential. Goes back to the one before, if that was not given up yet, as when Muster was restored from a backup.
   * Otherwise joins again with the project token, which gives the same core instance a new credential. Without one, nothing changes.
   */
  async renew(): Promise<void> {
    const { membership } = this.#options.identity;
    if (membership?.earlierToken !== undefined) {
      const { earlierToken: token, ...rest } = membership;
      await this.#options.identity.join({ ...rest, token });
      return;
    }
    if ((await this.#options.readProjectToken().catch(() => undefined)) === undefined) return;
    try {
      await this.join();
    } catch (error) {
      this.#warn(`Joining again did not help: ${messageOf(error)}`);
    }
  }

  /** Once for each reason, since an outage can last for days. */
  #warn(message: string): void {
    if (this.#warned === message) return;
    this.#warned = message;
    this.#options.log.warn(message);
  }
}

function ifUnauthorized(error: unknown): CentreFailure {
  if (error instanceof CentreFailure && error.kind === 'unauthorized') return error;
  throw error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function explainRefusal(failure: CentreFailure, url: string): Error {
  const { kind, code, message } = failure;
  if (kind === 'unauthorized') {
    return new StateError(`${url} does not accept the project token: ${message}`, {
      cause: failure,
      refusal: 'unauthorized',
    });
  }
  if (code === 'permission_denied') {
    return new StateError(
      `The project token may not create core instances: ${message} Agents' tokens cannot, so that a stolen one cannot pose as a site. Create another with: muster token create NAME --permission create:core_instance`,
      { cause: failure, refusal: 'forbidden' },
    );
  }
  if (code === 'core_instance_name_taken') {
    return new StateError(`${message} The name is that of --name.`, { cause: failure });
  }
  if (code === 'route_not_found') {
    return new StateError(
      `${url} does not know core instances: it is an older Muster, which has to be updated first.`,
      { cause: failure },
    );
  }
  return kind === 'refused' || kind === 'deleted'
    ? new StateError(`${url} refuses to let this core instance join: ${message}`, { cause: failure })
    : failure;
}
