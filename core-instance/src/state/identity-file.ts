import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readText, replaceDurably } from './durable-file.ts';
import { StateError } from './state-error.ts';

/** Who this core instance is at the centre. */
export interface Membership {
  readonly id: string;
  readonly projectID: string;
  readonly name: string;
  /** Its own credential. */
  readonly token: string;
  /** The one before, until Muster has accepted the current one. */
  readonly earlierToken?: string | undefined;
}

interface Identity {
  /** Random. With it, joining again is the same core instance. */
  readonly instanceKey: string;
  /** Of the centre that was joined. */
  readonly url: string;
  readonly membership: Membership | null;
}

/** The identity of a core instance in its state folder. */
export class IdentityFile {
  readonly #path: string;
  #identity: Identity;

  private constructor(path: string, identity: Identity) {
    this.#path = path;
    this.#identity = identity;
  }

  /**
   * Reads the identity, or makes a new one.
   *
   * @param movedFrom where it was before. It stays there until `join` is called with the new address
   * @throws StateError if it belongs to another centre or cannot be read
   */
  static async open(folder: string, url: string, movedFrom?: string): Promise<IdentityFile> {
    const path = join(folder, 'identity.json');
    const text = await readText(path);
    if (text !== undefined) {
      const identity = parse(text, path);
      if (identity.url === url || identity.membership === null)
        return new IdentityFile(path, { ...identity, url });
      if (identity.url !== movedFrom) throw otherCentre(identity.url, url, folder);
      return new IdentityFile(path, identity);
    }
    const identity = { instanceKey: randomBytes(32).toString('base64url'), url, membership: null };
    const file = new IdentityFile(path, identity);
    // Before it is sent anywhere: a lost answer must not make a second core instance.
    await file.#write(identity);
    return file;
  }

  get instanceKey(): string {
    return this.#identity.instanceKey;
  }

  /** Of the centre to which everything that waits may be sent. */
  get url(): string {
    return this.#identity.url;
  }

  get membership(): Membership | undefined {
    return this.#identity.membership ?? undefined;
  }

  /** It counts as soon as it is on the disk, which is when this resolves. */
  async join(membership: Membership, url = this.#identity.url): Promise<void> {
    await this.#write({ ...this.#identity, url, membership });
  }

  async #write(identity: Identity): Promise<void> {
    await replaceDurably(this.#path, `${JSON.stringify(identity, undefined, 2)}\n`);
    this.#identity = identity;
  }
}

function parse(text: string, path: string): Identity {
  try {
    const { instanceKey, url, membership } = JSON.parse(text) as Identity; // checked below
    if (typeof instanceKey !== 'string' || typeof url !== 'string') throw new Error('a field is missing');
    return { instanceKey, url, membership: membership ?? null };
  } catch (cause) {
    throw new StateError(
      `${path} is damaged, so that this core instance does not know who it is. Restore the file, or delete it and the core instance in Muster, and start again: what waits in the spool is kept.`,
      { cause },
    );
  }
}

function otherCentre(known: string, given: string, folder: string): StateError {
  return new StateError(
    `The state folder ${folder} belongs to a core instance of ${known}, not of ${given}. Start it with --url ${known}. If its project has moved to ${given}, start it with --url ${given} --moved-from ${known}: what waits in the folder is then sent there. For another core instance, choose another folder with --state-directory.`,
  );
}
