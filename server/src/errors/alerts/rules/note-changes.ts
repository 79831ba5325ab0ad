import type { Kysely } from 'kysely';
import { type NewID, toNullableTimestamp, toTimestamp } from '../../../foundation/clock.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { AlertContent, AlertEntry } from '../messages/alert-message.ts';
import {
  type AlertRow,
  alertKey,
  insertNotes,
  listAwaitingChannels,
  listEnabledChannelIDs,
  readAlerts,
  readAlertsByID,
  writeAlerts,
} from './alert-state-store.ts';
import type { Rule } from './rule-conditions.ts';

/** What a rule has found. */
export interface Finding {
  readonly rule: Rule;
  readonly content: AlertContent;
  /** In a digest, those with a greater weight come first. */
  readonly weight: number;
  /** True if it is over as soon as it is told, such as that somebody became a member. */
  readonly isMoment: boolean;
}

interface Changes {
  readonly projectID: string;
  readonly now: number;
  readonly newID: NewID;
  readonly rules: readonly Rule[];
  readonly findings: readonly Finding[];
  /** The ids of open alerts that are over. */
  readonly overIDs: readonly string[];
  /** Open alerts of which nobody was told yet. */
  readonly untold: readonly AlertRow[];
}

/**
 * Stores what rules have found and what is over, and notes it for their channels. One note for each rule and subject: except of moments, nothing more is noted
 * within the cool-down, and what is over is noted only if somebody was told that it is open.
 *
 * Call it under the lock of the project.
 */
export async function noteChanges(trx: Kysely<Tables>, changes: Changes): Promise<void> {
  const { projectID, now, newID, rules, findings, overIDs, untold } = changes;
  const enabled = await listEnabledChannelIDs(trx, projectID);
  const ruleOf = new Map(rules.map((rule) => [rule.id, rule]));
  const written = new Map<string, AlertRow>();
  const told: { readonly row: AlertRow; readonly weight: number; readonly kind: 'open' | 'moment' }[] = [];
  const known = await readAlerts(
    trx,
    [...new Set(findings.map(({ rule }) => rule.id))],
    [...new Set(findings.map(({ content }) => content.subject))],
  );
  for (const { rule, content, weight, isMoment } of findings) {
    const key = alertKey(rule.id, content.subject);
    const before = written.get(key) ?? known.get(key);
    // Each moment is another event, and an event is found once.
    const isTellable = isMoment || before === undefined || isCooledDown(before, rule, now);
    // It is open, and nothing new is to be said.
    if (before?.is_open === 1 && !isTellable) continue;
    const row: AlertRow = {
      id: before?.id ?? newID(),
      project_id: projectID,
      rule_id: rule.id,
      subject: content.subject,
      is_open: isMoment ? 0 : 1,
      is_told: isTellable ? 1 : 0,
      opened_at: now,
      over_at: isMoment ? now : null,
      told_at: isTellable ? now : (before?.told_at ?? 0),
      content: JSON.stringify(content),
    };
    written.set(key, row);
    if (isTellable) told.push({ row, weight, kind: isMoment ? 'moment' : 'open' });
  }
  for (const row of untold) {
    const rule = ruleOf.get(row.rule_id);
    if (rule === undefined || overIDs.includes(row.id) || !isCooledDown(row, rule, now)) continue;
    const toldRow = { ...row, is_told: 1, told_at: now };
    written.set(alertKey(row.rule_id, row.subject), toldRow);
    told.push({ row: toldRow, weight: 0, kind: 'open' });
  }
  const overs = await readAlertsByID(trx, overIDs);
  const ended = overs.filter(({ is_open: isOpen }) => isOpen === 1);
  for (const row of ended) {
    written.set(alertKey(row.rule_id, row.subject), { ...row, is_open: 0, over_at: now });
  }
  const awaiting = await listAwaitingChannels(trx, overIDs);
  await writeAlerts(trx, [...written.values()]);
  const notes = [
    ...told,
    ...ended
      .filter(({ is_told: isTold }) => isTold === 1)
      .map((row) => ({ row: { ...row, over_at: now }, weight: 0, kind: 'over' as const })),
  ].flatMap(({ row, weight, kind }) => {
    const content = JSON.stringify(entryOf(row, kind === 'over' ? 'over' : 'open'));
    const named = channelsOf(ruleOf.get(row.rule_id), enabled);
    const channels = kind === 'over' ? new Set([...named, ...(awaiting.get(row.id) ?? [])]) : named;
    return [...channels].map((channelID) => ({
      id: newID(),
      project_id: projectID,
      channel_id: channelID,
      alert_id: row.id,
      kind,
      content,
      weight,
      created_at: now,
    }));
  });
  await insertNotes(trx, notes);
}

/** True also if the clock was set back. */
function isCooledDown({ told_at: toldAt }: AlertRow, { cooldownMilliseconds }: Rule, now: number): boolean {
  return toldAt === 0 || Math.abs(now - toldAt) >= cooldownMilliseconds;
}

function channelsOf(rule: Rule | undefined, enabled: readonly string[]): readonly string[] {
  const named = rule?.channelIDs;
  return named === undefined ? enabled : enabled.filter((id) => named.includes(id));
}

function entryOf(row: AlertRow, state: AlertEntry['state']): AlertEntry {
  const content = JSON.parse(row.content) as AlertContent; // written by the service alone
  return {
    ...content,
    alertID: row.id,
    state,
    openedAt: toTimestamp(row.opened_at),
    overAt: state === 'over' ? toNullableTimestamp(row.over_at) : null,
  };
}
