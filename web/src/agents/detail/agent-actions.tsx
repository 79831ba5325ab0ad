import { Text } from '@mantine/core';
import { type AgentWithConfig, deleteAgent, releaseAgent } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { type RowAction, RowMenu } from '../../parts/row-menu.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { projectKey } from '../../service/query-client.ts';
import { useMay } from '../../session/use-may.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { agentsKey } from '../agent-queries.ts';

interface AgentActionsProps {
  readonly projectID: string;
  readonly agent: AgentWithConfig;
}

/** What the user may do with the agent. */
export function AgentActions({ projectID, agent: { id: agentID, name, releasedAt } }: AgentActionsProps) {
  const [asked, setAsked] = useState<'release' | 'delete'>();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const may = useMay(projectID);
  const close = () => setAsked(undefined);
  const release = async () => {
    await releaseAgent(client, { agentID });
    showDone(agentsTexts.released);
    await queries.invalidateQueries({ queryKey: projectKey(projectID) });
  };
  const remove = async () => {
    await deleteAgent(client, { agentID });
    showDone(agentsTexts.deletedOne(name));
    await navigate({ to: '/projects/$projectID/agents', params: { projectID } });
    queries.removeQueries({ queryKey: [...projectKey(projectID), 'agent', agentID] });
    await queries.resetQueries({ queryKey: agentsKey(projectID) });
  };
  const actions: readonly RowAction[] = [
    ...(may('update:agent') && releasedAt === null
      ? [{ text: agentsTexts.release, run: () => setAsked('release') }]
      : []),
    ...(may('delete:agent')
      ? [{ text: agentsTexts.delete, isDangerous: true, run: () => setAsked('delete') }]
      : []),
  ];
  return (
    <>
      <RowMenu name={name} actions={actions} />
      <ConfirmDialog
        isOpen={asked === 'release'}
        title={agentsTexts.releaseTitle(name)}
        confirm={agentsTexts.releaseConfirm}
        onConfirm={release}
        onClose={close}
      >
        <Text size="sm">{agentsTexts.releaseText}</Text>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'delete'}
        title={agentsTexts.deleteOneTitle(name)}
        confirm={agentsTexts.deleteConfirm}
        isDangerous
        onConfirm={remove}
        onClose={close}
      >
        <Text size="sm">{agentsTexts.deleteOneText}</Text>
      </ConfirmDialog>
    </>
  );
}
