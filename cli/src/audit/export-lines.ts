import type { AuditChain, Client } from '@muster/client';

/** So many entries are asked for at a time. */
const portion = 1_000;

/** One log, or all logs of the installation. */
export type ChosenLog = { readonly projectID: string } | 'installation';

/** The lines of an export: of each log, its chain, and then its entries. Only one portion is in memory. */
export async function* exportLines(client: Client, log: ChosenLog, after = 0): AsyncGenerator<string> {
  if (log !== 'installation') {
    yield* exportLog(after, (place) => exportOfProject(client, log.projectID, place));
    return;
  }
  const { listAuditChains } = await import('@muster/client');
  for await (const { id } of listAuditChains(client)) {
    yield* exportLog(0, (place) => exportOfInstallation(client, id, place));
  }
}

async function exportOfProject(client: Client, projectID: string, after: number): Promise<string> {
  const { exportAuditLog } = await import('@muster/client');
  return exportAuditLog(client, { projectID, after, limit: portion });
}

async function exportOfInstallation(client: Client, id: string, after: number): Promise<string> {
  const { exportInstallationAuditLog } = await import('@muster/client');
  return exportInstallationAuditLog(client, { project_id: id, after, limit: portion });
}

/** Up to the entry with which the log ended at the beginning of the export. */
async function* exportLog(after: number, read: (after: number) => Promise<string>): AsyncGenerator<string> {
  let head: number | undefined;
  for (let place = after; head === undefined || place < head; ) {
    const [first = '', ...entries] = (await read(place)).trimEnd().split('\n');
    if (head === undefined) {
      yield first;
      head = (JSON.parse(first) as AuditChain).head.sequence; // the first line of every export
    }
    const end = head;
    const wanted = entries.filter((line) => sequenceOf(line) <= end);
    yield* wanted;
    const last = wanted.at(-1);
    // A gap in the log, which a check of the lines finds.
    if (last === undefined) return;
    place = sequenceOf(last);
  }
}

function sequenceOf(line: string): number {
  return (JSON.parse(line) as { sequence: number }).sequence;
}
