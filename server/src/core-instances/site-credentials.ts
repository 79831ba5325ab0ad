import { agentGrants, type SiteCredentials } from '@muster/contract';
import type { Clock } from '../foundation/clock.ts';
import type { CoreInstancePrincipal } from '../foundation/credentials/principal.ts';
import type { Database } from '../foundation/database/database.ts';
import { Refusal } from '../foundation/refusal.ts';
import type { SiteToken, SiteTokenService } from '../people/tokens/site-token-service.ts';
import * as store from './site-credential-store.ts';

interface SiteCredentialListOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly siteTokens: SiteTokenService;
  readonly limits: SiteCredentials['limits'];
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
}

type Item = SiteCredentials['items'][number];
type Page = Omit<SiteCredentials, 'limits'>;

/** Project tokens, or agents whose tokens are listed, of one page. */
const pageSize = 500;
/** With more changes, or more project tokens one of which has changed, the list begins anew. */
const maxChanges = 2_000;
/** For how long notes are kept. */
const keptMilliseconds = 30 * 86_400_000;
/** How far the clocks of service and database may be apart. */
const marginMilliseconds = 86_400_000;

/** What is listed: all project tokens, all agents, or what has changed. */
type Phase = 'p' | 'a' | 'c';

interface Cursor {
  /** A site that moves to another one knows nothing of its credentials. */
  readonly projectID: string;
  readonly phase: Phase;
  /** Where changes are to be read from when all is listed. */
  readonly from: store.EndOfNotes;
  /** The id after which the list goes on. */
  readonly after: string | undefined;
}

/**
 * The credentials that agents of a project may send to a site: all of them once, and then what has changed. A page may repeat what was told before, but
 * nothing that was committed before the request is missing for longer than until the list ends.
 */
export class SiteCredentialList {
  readonly #options: SiteCredentialListOptions;

  constructor(options: SiteCredentialListOptions) {
    this.#options = options;
  }

  /** Where the list is now. */
  async cursorOf({ projectID }: Pick<CoreInstancePrincipal, 'projectID'>): Promise<string> {
    return writeCursor({
      projectID,
      phase: 'c',
      from: await store.findEndOfNotes(this.#options.database, projectID),
      after: undefined,
    });
  }

  /** @throws Refusal invalid_cursor */
  async list(instance: CoreInstancePrincipal, given: string | undefined): Promise<SiteCredentials> {
    return { limits: this.#options.limits, ...(await this.#list(instance, given)) };
  }

  async #list({ projectID }: CoreInstancePrincipal, given: string | undefined): Promise<Page> {
    const { database } = this.#options;
    // Before anything else is read, so that what changes meanwhile is read again.
    const end = await store.findEndOfNotes(database, projectID);
    const cursor = given === undefined ? undefined : readCursor(given);
    if (cursor?.projectID !== projectID || (await this.#isLost(cursor, end)))
      return this.#listAll(projectID, end);
    switch (cursor.phase) {
      case 'p':
        return this.#listTokens(cursor, false);
      case 'a':
        return this.#listAgents(cursor);
      case 'c':
        return this.#listChanges(cursor, end);
    }
  }

  /** Removes notes that no cursor needs that is accepted. */
  async purge(): Promise<void> {
    const { database, clock, closing } = this.#options;
    await store.deleteNotes(database, closing, clock() - keptMilliseconds);
  }

  /**
   * Notes after it may be removed, or it is of another database: the project has moved, or this one was restored from a backup. Positions are given again
   * then, so it also names when its newest note was written.
   */
  async #isLost({ projectID, from }: Cursor, end: store.EndOfNotes): Promise<boolean> {
    if (from.limit === end.limit && from.notedAt === end.notedAt) return false;
    const oldest = this.#options.clock() - keptMilliseconds + marginMilliseconds;
    return from.notedAt < oldest || !(await store.hasNewestNote(this.#options.database, projectID, from));
  }

  #listAll(projectID: string, from: store.EndOfNotes): Promise<Page> {
    return this.#listTokens({ projectID, phase: 'p', from, after: undefined }, true);
  }

  async #listTokens({ projectID, from, after }: Cursor, reset: boolean): Promise<Page> {
    const { database, siteTokens } = this.#options;
    const rows = await store.listTokenDigests(database.read, projectID, after, pageSize);
    const found = await siteTokens.list(rows.flatMap(({ digests }) => digests));
    const last = rows.length < pageSize ? undefined : rows.at(-1)?.id;
    return {
      cursor: writeCursor({ projectID, phase: last === undefined ? 'a' : 'p', from, after: last }),
      reset,
      more: true,
      items: found.map(toItem),
    };
  }

  async #listAgents({ projectID, from, after }: Cursor): Promise<Page> {
    const { agents, tokens } = await store.listAgentTokens(
      this.#options.database.read,
      projectID,
      after,
      pageSize,
    );
    const last = agents.length < pageSize ? undefined : agents.at(-1);
    return {
      cursor: writeCursor({ projectID, phase: last === undefined ? 'c' : 'a', from, after: last }),
      reset: false,
      // What has changed since the list began.
      more: true,
      items: tokens.map(toAgentItem),
    };
  }

  async #listChanges({ projectID, from }: Cursor, end: store.EndOfNotes): Promise<Page> {
    const { database, siteTokens } = this.#options;
    const notes = await store.listNotes(database, projectID, from.position, maxChanges + 1);
    if (notes.length > maxChanges || notes.some(({ kind }) => kind === 'all'))
      return this.#listAll(projectID, end);
    const ofKind = (kind: store.CredentialNote['kind']) =>
      notes.filter((note) => note.kind === kind).map(({ digest }) => digest);
    const ofProject = ofKind('project');
    const items: Item[] = [];
    if (ofProject.length > 0) {
      // All of them: what one may do depends on the token that created it.
      const rows = await store.listTokenDigests(database.read, projectID, undefined, maxChanges + 1);
      if (rows.length > maxChanges) return this.#listAll(projectID, end);
      const found = await siteTokens.list(rows.flatMap(({ digests }) => digests));
      items.push(...found.map(toItem), ...gone('project', ofProject, found));
    }
    const ofAgents = ofKind('agent');
    const found = await store.listAgentTokensByDigest(database.read, database.engine, projectID, ofAgents);
    items.push(...found.map(toAgentItem), ...gone('agent', ofAgents, found));
    return {
      // The end is told too early rather than too late, so an earlier answer may have been further.
      cursor: writeCursor({
        projectID,
        phase: 'c',
        from: from.position > end.position ? from : end,
        after: undefined,
      }),
      reset: false,
      more: false,
      items,
    };
  }
}

function toItem({ digest, tokenID, grants, networks, rates, expiresAt, isRevoked }: SiteToken): Item {
  return {
    kind: 'project',
    digest,
    id: tokenID,
    permissions: [...grants],
    networks: networks.map((list) => [...list]),
    rates: [...rates],
    expiresAt,
    revoked: isRevoked,
    deleted: false,
  };
}

function toAgentItem({ agent_id: id, digest, is_ended, is_deleted }: store.AgentTokenRow): Item {
  return {
    kind: 'agent',
    digest,
    id,
    permissions: [...agentGrants],
    networks: [],
    rates: [],
    expiresAt: null,
    // Also for those that do not know `deleted`.
    revoked: is_ended === 1 || is_deleted === 1,
    deleted: is_deleted === 1 && is_ended === 0,
  };
}

/** Digests that are of no credential any more. */
function gone(
  kind: Item['kind'],
  digests: readonly string[],
  found: readonly { readonly digest: string }[],
): Item[] {
  const known = new Set(found.map(({ digest }) => digest));
  return digests
    .filter((digest) => !known.has(digest))
    .map((digest) => ({
      kind,
      digest,
      id: null,
      permissions: [],
      networks: [],
      rates: [],
      expiresAt: null,
      revoked: true,
      deleted: false,
    }));
}

/** Opaque to its reader; version, project, phase, where notes are read from, number and time of the newest one, and id. */
function writeCursor({ projectID, phase, from, after }: Cursor): string {
  return ['3', projectID, phase, from.position, from.limit, from.notedAt, after ?? ''].join('.');
}

const cursorPattern = /^3\.([0-9a-f-]{36})\.([pac])\.(\d{1,16})\.(\d{1,16})\.(\d{1,16})\.([0-9a-f-]{36})?$/;

/** @throws Refusal invalid_cursor */
function readCursor(text: string): Cursor {
  const [, projectID, phase, position, limit, notedAt, after] = cursorPattern.exec(text) ?? [];
  if (projectID === undefined) {
    throw new Refusal('invalid_cursor', {
      detail: 'Send the cursor of the answer before unchanged, or none, to begin anew.',
    });
  }
  const from = { position: Number(position), limit: Number(limit), notedAt: Number(notedAt) };
  return { projectID, phase: phase as Phase, from, after }; // by the pattern
}
