import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { Secret } from './secret.ts';

/** A pair of keys for secrets on their way to this installation, in base64. */
export interface TransferKeys {
  readonly publicKey: string;
  readonly privateKey: Secret;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** An X25519 key in the form of RFC 8410. */
const publicKeyBytes = 44;

export function createTransferKeys(): TransferKeys {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const privateText = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
  return { publicKey: exported(publicKey).toString('base64'), privateKey: new Secret(privateText) };
}

/**
 * Encrypts a text so that only the holder of the private key can read it, with a key pair of its own for each text (X25519, HKDF, AES-256-GCM).
 *
 * @param row the id of the row that holds it: elsewhere it cannot be opened.
 * @throws Error if it is no public key
 */
export function sealForTransfer(publicKey: string, text: string, row: string): string {
  const recipient = createPublicKey({ key: Buffer.from(publicKey, 'base64'), type: 'spki', format: 'der' });
  const own = generateKeyPairSync('x25519');
  const ownPublic = exported(own.publicKey);
  const key = keyOf(diffieHellman({ privateKey: own.privateKey, publicKey: recipient }), ownPublic);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(row));
  return Buffer.concat([
    ownPublic,
    nonce,
    cipher.update(text, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]).toString('base64');
}

/** Undefined if it was sealed for another key or another row, or was changed. */
export function openTransferred(privateKey: Secret, sealed: string, row: string): string | undefined {
  try {
    const bytes = Buffer.from(sealed, 'base64');
    const sender = bytes.subarray(0, publicKeyBytes);
    const shared = diffieHellman({
      privateKey: createPrivateKey({
        key: Buffer.from(privateKey.reveal(), 'base64'),
        type: 'pkcs8',
        format: 'der',
      }),
      publicKey: createPublicKey({ key: sender, type: 'spki', format: 'der' }),
    });
    const nonce = bytes.subarray(publicKeyBytes, publicKeyBytes + nonceBytes);
    const decipher = createDecipheriv(algorithm, keyOf(shared, sender), nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(row))
      .setAuthTag(bytes.subarray(-tagBytes));
    const text = decipher.update(bytes.subarray(publicKeyBytes + nonceBytes, -tagBytes));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function keyOf(shared: Buffer, sender: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', shared, sender, 'secrets of a project that moves', 32));
}

function exported(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}
