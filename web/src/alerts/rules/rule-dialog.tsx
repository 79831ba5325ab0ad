import { Stack } from '@mantine/core';
import { type AlertRule, createAlertRule, updateAlertRule } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../session/use-may.ts';
import { alertsTexts } from '../../texts/alerts.ts';
import { alertsKey } from '../alert-queries.ts';
import { RuleFields } from './rule-fields.tsx';
import { inputOf, newRule, ruleBody } from './rule-input.ts';
import { RulePreview } from './rule-preview.tsx';

interface RuleDialogProps {
  readonly projectID: string;
  /** The rule to change; `new`: create one. */
  readonly rule: AlertRule | 'new';
  /** Whom a new one tells. Absent: all channels. */
  readonly channelIDs?: readonly string[];
  readonly onClose: () => void;
}

/** Fills in a rule beside what it would have told. Make a new one for each rule: it begins with the values of the rule. */
export function RuleDialog({ projectID, rule, channelIDs, onClose }: RuleDialogProps) {
  const queries = useQueryClient();
  const may = useMay(projectID);
  const [input, setInput] = useState(() => (rule === 'new' ? { ...newRule, channelIDs } : inputOf(rule)));
  const body = ruleBody(input);
  return (
    <ConfirmDialog
      isOpen
      title={rule === 'new' ? alertsTexts.createRule : alertsTexts.ruleTitle(rule.name)}
      confirm={rule === 'new' ? alertsTexts.createRule : alertsTexts.save}
      isDisabled={body === undefined}
      onConfirm={async () => {
        if (body === undefined) return;
        if (rule === 'new') await createAlertRule(client, { projectID, body });
        else {
          const { kind: _, ...change } = body;
          await updateAlertRule(client, { alertRuleID: rule.id, body: change });
        }
        await queries.invalidateQueries({ queryKey: alertsKey(projectID) });
        showDone(alertsTexts.saved);
      }}
      onClose={onClose}
    >
      <Stack gap="md">
        <RuleFields projectID={projectID} input={input} isNew={rule === 'new'} onChange={setInput} />
        {may('create:webhook') && <RulePreview projectID={projectID} body={body} />}
      </Stack>
    </ConfirmDialog>
  );
}
