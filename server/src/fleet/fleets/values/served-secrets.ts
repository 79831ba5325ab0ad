import type { Database } from '../../../foundation/database/database.ts';
import type { SecretBox } from '../../../foundation/secret-box.ts';
import type { ProjectSecrets, SecretRemover } from '../../secret-remover.ts';
import { openSecret } from './load-values.ts';
import { listAllSecrets, type SecretRow } from './value-store.ts';

/** As other secrets are replaced. */
const mark = '--redacted--';
/** A shorter beginning of a secret at the end of a text says nothing. */
const minBeginning = 4;

const nothing: SecretRemover = { remove: (text) => text, removeFrom: (value) => value };

/** The secrets of all fleets, to find them in what agents report. There are few: each fleet has some, whatever the number of its agents. */
export class ServedSecrets implements ProjectSecrets {
  readonly #database: Database;
  readonly #box: SecretBox;
  #rows: ReadonlyMap<string, readonly SecretRow[]> | undefined;
  #generation = 0;
  readonly #removers = new Map<string, SecretRemover>();

  constructor(database: Database, box: SecretBox) {
    this.#database = database;
    this.#box = box;
  }

  /** Undefined if the secrets must be read first. */
  recall(projectID: string): SecretRemover | undefined {
    if (this.#rows === undefined) return undefined;
    const rows = this.#rows.get(projectID);
    if (rows === undefined) return nothing;
    const known = this.#removers.get(projectID);
    if (known !== undefined) return known;
    const remover = removerOf(rows.flatMap((row) => openSecret(this.#box, row) ?? []));
    this.#removers.set(projectID, remover);
    return remover;
  }

  async find(projectID: string): Promise<SecretRemover> {
    for (;;) {
      const known = this.recall(projectID);
      if (known !== undefined) return known;
      await this.load();
    }
  }

  async load(): Promise<void> {
    const generation = this.#generation;
    const byProject = new Map<string, SecretRow[]>();
    for (const row of await listAllSecrets(this.#database.read))
      byProject.set(row.project_id, [...(byProject.get(row.project_id) ?? []), row]);
    // What was read before a change must not be remembered after it.
    if (generation === this.#generation) this.#rows = byProject;
  }

  forgetAll(): void {
    this.#generation += 1;
    this.#rows = undefined;
    this.#removers.clear();
  }
}

function removerOf(secrets: readonly string[]): SecretRemover {
  if (secrets.length === 0) return nothing;
  // The longest first: a secret can be a part of another one.
  const known = [...new Set(secrets)].sort((one, other) => other.length - one.length);
  const forms = [...new Set(known.flatMap(formsOf))].sort((one, other) => other.length - one.length);
  const remove = (text: string) => {
    const removed = forms.reduce((left, form) => left.replaceAll(form, mark), text);
    return known.reduce(withoutBeginning, removed);
  };
  const removeIn = (value: unknown): unknown => {
    if (typeof value === 'string') return remove(value);
    if (Array.isArray(value)) return value.map(removeIn);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [remove(key), removeIn(one)]));
  };
  return {
    remove,
    removeFrom: <Value>(value: Value) => removeIn(value) as Value, // texts stay texts, and so on
  };
}

/** As a secret can stand in a log, a URL, JSON, or the header of a request. */
function formsOf(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ];
}

/** A text that was cut can end with the beginning of a secret. */
function withoutBeginning(text: string, secret: string): string {
  if (!text.endsWith('…')) return text;
  const end = text.length - 1;
  for (let length = Math.min(secret.length - 1, end); length >= minBeginning; length -= 1) {
    if (text.endsWith(secret.slice(0, length), end)) return `${text.slice(0, end - length)}${mark}…`;
  }
  return text;
}
