import { createCipheriv, createDecipheriv, hash, hkdfSync } from 'node:crypto';
import type { RandomBytes, Secret } from './secret.ts';

/** A text that only this installation can read. */
export interface Sealed {
  /** Base64 of the nonce, the encrypted text and its tag. */
  readonly sealed: string;
  /** Which key was used. It says nothing of the key itself. */
  readonly keyID: string;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts secrets that must be used later, so that a dump of the database alone reveals none. AES-256-GCM with a key that is derived from
 * the installation's own (HKDF, RFC 5869). A sealed text is bound to its row: elsewhere it cannot be opened.
 */
export class SecretBox {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #current: string | undefined;
  readonly #randomBytes: RandomBytes;

  /** @param keys the first one seals; the others only open what was sealed with them. */
  constructor(keys: readonly Secret[], randomBytes: RandomBytes) {
    const derived = keys.map(derive);
    this.#keys = new Map(derived);
    this.#current = derived[0]?.[0];
    this.#randomBytes = randomBytes;
  }

  /** False: nothing can be sealed, because there is no key. */
  get canSeal(): boolean {
    return this.#current !== undefined;
  }

  /** The ids of the keys with which it can open. */
  get keyIDs(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** @param row the id of the row that holds it. */
  seal(text: string, row: string): Sealed {
    const keyID = this.#current;
    const key = keyID === undefined ? undefined : this.#keys.get(keyID);
    if (keyID === undefined || key === undefined) throw new Error('there is no key to seal with');
    const nonce = this.#randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(row));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return { sealed: sealed.toString('base64'), keyID };
  }

  /** Undefined if it was sealed with another key, for another row, or was changed. */
  open({ sealed, keyID }: Sealed, row: string): string | undefined {
    const key = this.#keys.get(keyID);
    if (key === undefined) return undefined;
    const bytes = Buffer.from(sealed, 'base64');
    try {
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
        .setAAD(Buffer.from(row))
        .setAuthTag(bytes.subarray(-tagBytes));
      const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}

function derive(secret: Secret): readonly [keyID: string, key: Buffer] {
  const value = secret.reveal();
  const key = Buffer.from(hkdfSync('sha256', value, '', 'muster alert channels', 32));
  const keyID = hash('sha256', Buffer.from(hkdfSync('sha256', value, '', 'muster key id', 32))).slice(0, 16);
  return [keyID, key];
}
