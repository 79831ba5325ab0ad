import { lookup } from 'node:dns/promises';
import { systemRandomBytes } from '../../../foundation/secret.ts';
import { SecretBox } from '../../../foundation/secret-box.ts';
import { readSecretKeys } from '../../../foundation/secret-keys.ts';
import type { Config } from '../../../foundation/settings/config.ts';
import { AllowedHosts, RefusedTarget } from '../sending/allowed-hosts.ts';

/** Resolves a host name to all its addresses. */
export type ResolveAddresses = (host: string) => Promise<readonly { readonly address: string }[]>;

/** What can be known of a channel without its secrets. */
export interface SealedChannel {
  readonly kind: string;
  /** The host, or the recipients of mail. */
  readonly target: string;
  readonly keyID: string | null;
}

export type ChannelFault =
  | { readonly kind: 'no_mail_server' | 'unknown_key' }
  /** The reason is a sentence for people. The address is what the name of the host was resolved to. */
  | { readonly kind: 'refused_host'; readonly reason: string; readonly address: string | undefined }
  /** The code of the resolver. */
  | { readonly kind: 'unknown_host'; readonly code: string };

/** Looks for reasons why channels cannot get messages, and sends nothing. */
export class ChannelFaultService {
  readonly #keyIDs: readonly string[];
  readonly #allowed: AllowedHosts;
  readonly #canMail: boolean;
  readonly #resolve: ResolveAddresses;

  constructor(
    config: Pick<Config, 'secretKey' | 'dataDirectory' | 'alertAllowedHosts' | 'mail'>,
    resolve: ResolveAddresses = (host) => lookup(host, { all: true }),
  ) {
    const keys = readSecretKeys({
      setting: config.secretKey,
      dataDirectory: config.dataDirectory,
      mayCreate: false,
      randomBytes: systemRandomBytes,
    });
    this.#keyIDs = new SecretBox(keys, systemRandomBytes).keyIDs;
    this.#allowed = new AllowedHosts(config.alertAllowedHosts);
    this.#canMail = config.mail !== undefined;
    this.#resolve = resolve;
  }

  async find({ kind, target, keyID }: SealedChannel): Promise<ChannelFault[]> {
    if (kind === 'dashboard') return [];
    if (kind === 'mail') return this.#canMail ? [] : [{ kind: 'no_mail_server' }];
    const found: ChannelFault[] = [];
    if (keyID !== null && !this.#keyIDs.includes(keyID)) found.push({ kind: 'unknown_key' });
    const host = new URL(`https://${target}`).hostname;
    try {
      const addresses = await this.#resolve(host.replace(/^\[(.*)\]$/, '$1'));
      for (const { address } of addresses) this.#allowed.require(host, address);
    } catch (error) {
      if (error instanceof RefusedTarget) {
        const { message: reason, resolved } = error;
        found.push({ kind: 'refused_host', reason, address: resolved?.address });
      } else {
        const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
        found.push({ kind: 'unknown_host', code });
      }
    }
    return found;
  }
}
