import { NativeSelect, Text } from '@mantine/core';
import { moveAgents } from '@muster/client';
import { maxMovedAgents, visibleText } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fleetsQuery } from '../../fleets/fleets-query.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { agentsTexts } from '../../texts/agents.ts';

interface MoveAgentsDialogProps {
  readonly projectID: string;
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const namesShown = 3;

/** Says which version agents get in the fleet that is chosen. */
export function MoveAgentsDialog({ projectID, agents, onDone, onClose }: MoveAgentsDialogProps) {
  const { data: fleets } = useQuery(fleetsQuery(projectID));
  const [fleetID, setFleetID] = useState('');
  const fleet = fleets?.find(({ id }) => id === fleetID);
  const version = fleet?.currentVersion;
  const isTooMany = agents.length > maxMovedAgents;
  const { moving } = agentsTexts;
  return (
    <ConfirmDialog
      isOpen
      title={moving.title(agents.length)}
      confirm={moving.confirm(agents.length)}
      isDisabled={fleet === undefined || isTooMany}
      onConfirm={async () => {
        if (fleet === undefined) return;
        const body = { agentIDs: agents.map(({ id }) => id) };
        const { movedCount } = await moveAgents(client, { fleetID, body });
        showDone(moving.done(movedCount, visibleText(fleet.name)));
        onDone();
      }}
      onClose={onClose}
    >
      <Text size="sm" mb="md">
        {agents.slice(0, namesShown).map(({ id, name }, place) => (
          <span key={id}>
            {place > 0 && ', '}
            <NameText text={name} />
          </span>
        ))}
        {agents.length > namesShown && moving.andMore(agents.length - namesShown)}
      </Text>
      {isTooMany && (
        <Text c="var(--muster-bad)" size="sm" role="alert" mb="md">
          {moving.tooMany(maxMovedAgents)}
        </Text>
      )}
      <NativeSelect
        label={moving.fleet}
        value={fleetID}
        onChange={({ currentTarget }) => setFleetID(currentTarget.value)}
        data={[
          { value: '', label: moving.choose },
          ...(fleets ?? []).map(({ id, name }) => ({ value: id, label: visibleText(name) })),
        ]}
        data-autofocus
      />
      {fleet !== undefined && (
        <Text size="sm" fw={600} mt="md" role="status">
          {version == null ? (
            moving.getNothing
          ) : (
            <>
              {moving.get(agents.length)}{' '}
              <Link
                to="/projects/$projectID/fleets/$fleetID"
                params={{ projectID, fleetID }}
                search={{ version: version.id }}
                target="_blank"
              >
                {moving.version(version.number)}
              </Link>{' '}
              {moving.soon(agents.length)}
            </>
          )}
        </Text>
      )}
      <Text size="sm" c="dimmed" mt="xs">
        {moving.text}
      </Text>
    </ConfirmDialog>
  );
}
