import { Button, Switch, Text } from '@mantine/core';
import { type AlertChannel, type AlertRule, deleteAlertRule, updateAlertRule } from '@muster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { showDone, showError } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../session/use-may.ts';
import { alertsTexts } from '../../texts/alerts.ts';
import { alertsKey, channelsQuery, rulesQuery } from '../alert-queries.ts';
import { Card, CardList } from '../card-list.tsx';
import { NewChannel } from '../channels/new-channel.tsx';
import { SectionActions } from '../section-actions.tsx';
import { describeRule } from './describe-rule.ts';
import { RuleDialog } from './rule-dialog.tsx';

/** The rules of a project. */
export function RulesSection({ projectID }: { readonly projectID: string }) {
  const may = useMay(projectID);
  const queries = useQueryClient();
  const { data: rules, error, refetch } = useQuery(rulesQuery(projectID));
  const { data: channels } = useQuery(channelsQuery(projectID));
  const [edited, setEdited] = useState<AlertRule | 'new'>();
  const [isCreatingChannel, setIsCreatingChannel] = useState(false);
  const [removed, setRemoved] = useState<AlertRule>();
  const hasNoChannel = channels?.length === 0;
  const isEmpty = hasNoChannel && rules?.length === 0;
  const channelText = isEmpty ? alertsTexts.createAlert : alertsTexts.createChannel;
  const readAgain = () => queries.invalidateQueries({ queryKey: alertsKey(projectID) });
  const turn = async (rule: AlertRule, enabled: boolean) => {
    await updateAlertRule(client, { alertRuleID: rule.id, body: { enabled } });
    await readAgain();
  };
  return (
    <>
      {may('create:webhook') && (
        <SectionActions>
          <Button variant={hasNoChannel ? 'filled' : 'default'} onClick={() => setIsCreatingChannel(true)}>
            {`${channelText}…`}
          </Button>
          {!isEmpty && (
            <Button variant={hasNoChannel ? 'default' : 'filled'} onClick={() => setEdited('new')}>
              {`${alertsTexts.createRule}…`}
            </Button>
          )}
        </SectionActions>
      )}
      <CardList
        items={rules}
        label={alertsTexts.sections.rules}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState
            title={alertsTexts.noRules}
            text={hasNoChannel ? alertsTexts.noAlertsText : alertsTexts.noRulesText}
            command={hasNoChannel ? alertsTexts.noAlertsCommand : alertsTexts.noRulesCommand}
          />
        }
      >
        {(rule) => (
          <Card
            key={rule.id}
            title={<bdi>{rule.name}</bdi>}
            actions={
              <>
                {may('update:webhook') && (
                  <>
                    <Switch
                      size="sm"
                      checked={rule.enabled}
                      aria-label={alertsTexts.isOn(rule.name)}
                      onChange={({ currentTarget }) =>
                        void turn(rule, currentTarget.checked).catch(showError)
                      }
                    />
                    <Button
                      variant="default"
                      size="compact-sm"
                      aria-label={`${alertsTexts.changeOf(rule.name)}…`}
                      onClick={() => setEdited(rule)}
                    >
                      {`${alertsTexts.change}…`}
                    </Button>
                  </>
                )}
                {may('delete:webhook') && (
                  <Button
                    variant="default"
                    size="compact-sm"
                    c="var(--muster-bad)"
                    aria-label={`${alertsTexts.removeOf(rule.name)}…`}
                    onClick={() => setRemoved(rule)}
                  >
                    {`${alertsTexts.remove}…`}
                  </Button>
                )}
              </>
            }
          >
            <div>{describeRule(rule)}</div>
            {channels !== undefined && (
              <Text size="sm" c={isTold(rule, channels) ? 'dimmed' : 'var(--muster-warning)'}>
                {describeTold(rule, channels)}
              </Text>
            )}
          </Card>
        )}
      </CardList>
      <NewChannel
        projectID={projectID}
        isOpen={isCreatingChannel}
        title={channelText}
        onClose={() => setIsCreatingChannel(false)}
      />
      {edited !== undefined && (
        <RuleDialog projectID={projectID} rule={edited} onClose={() => setEdited(undefined)} />
      )}
      <ConfirmDialog
        isOpen={removed !== undefined}
        title={alertsTexts.removeRule(removed?.name ?? '')}
        confirm={alertsTexts.remove}
        isDangerous
        onConfirm={async () => {
          if (removed === undefined) return;
          await deleteAlertRule(client, { alertRuleID: removed.id });
          await readAgain();
          showDone(alertsTexts.removed(removed.name));
        }}
        onClose={() => setRemoved(undefined)}
      >
        <Text size="sm">{alertsTexts.removeRuleText}</Text>
      </ConfirmDialog>
    </>
  );
}

function isTold({ channelIDs }: AlertRule, channels: readonly AlertChannel[]): boolean {
  return channels.some(({ id }) => channelIDs === null || channelIDs.includes(id));
}

function describeTold({ channelIDs }: AlertRule, channels: readonly AlertChannel[]): string {
  if (channelIDs === null) return channels.length === 0 ? alertsTexts.toAllOfNone : alertsTexts.toAll;
  const names = channels.filter(({ id }) => channelIDs.includes(id)).map(({ name }) => name);
  return names.length === 0 ? alertsTexts.toNobody : alertsTexts.to(names.join(', '));
}
