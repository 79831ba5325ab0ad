import { changeRows } from '../rows/change-rows.ts';
import type { TestApp } from '../start-test-app.ts';

interface StagedNote {
  readonly projectID: string;
  readonly channelID: string;
  /** Makes the ids of the note and its alert. */
  readonly number: number;
  readonly kind?: 'open' | 'moment' | 'over';
  readonly title?: string;
  readonly text?: string;
  readonly weight?: number;
  readonly ruleName?: string;
  readonly facts?: readonly { readonly label: string; readonly value: string }[];
}

/** Something that a channel has to be told, as the rules write it. Later notes have greater numbers. */
export async function addNote(app: TestApp, note: StagedNote): Promise<{ readonly alertID: string }> {
  const { projectID, channelID, number, kind = 'open', weight = 0 } = note;
  const hex = (type: number, one: number) => `0${type}000000-0000-7000-8000-${String(one).padStart(12, '0')}`;
  const alertID = hex(1, number % 1_000);
  const entry = {
    alertID,
    rule: 'new_group',
    ruleName: note.ruleName ?? 'errors',
    subject: '',
    state: kind === 'over' ? 'over' : 'open',
    severity: 'warning',
    title: note.title ?? `Alert ${number}`,
    text: note.text,
    facts: note.facts ?? [],
    path: '/v1/projects',
    command: 'muster error list',
    openedAt: '2026-03-02T10:20:30.456Z',
    overAt: null,
  };
  const content = JSON.stringify(entry).replaceAll("'", "''");
  const isOpen = kind === 'open' ? 1 : 0;
  await changeRows(
    app.dataDirectory,
    `insert into alerts (id, project_id, rule_id, subject, is_open, is_told, opened_at, content)
     values ('${alertID}', '${projectID}', '${hex(3, 1)}', '${alertID}', ${isOpen}, 1, 0, '')
     on conflict (rule_id, subject) do update set is_open = excluded.is_open`,
  );
  await changeRows(
    app.dataDirectory,
    `insert into alert_notes (id, project_id, channel_id, alert_id, kind, content, weight, created_at)
     values ('${hex(2, number)}', '${projectID}', '${channelID}', '${alertID}', '${kind}', '${content}', ${weight},
       ${app.clock.now()})`,
  );
  return { alertID };
}
