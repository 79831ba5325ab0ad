import { Text } from '@mantine/core';
import { type Fleet, updateFleetSecrets, updateFleetVariables } from '@muster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { DespiteFreeze } from '../../rollouts/despite-freeze.tsx';
import { freezeQuery } from '../../rollouts/upcoming-queries.ts';
import { client } from '../../service/client.ts';
import { fleetValuesTexts } from '../../texts/fleet-values.ts';
import { fleetsKey } from '../fleets-query.ts';
import { type FleetValue, subjectOf, writtenAs } from './fleet-value.ts';

interface RemoveValueDialogProps {
  readonly fleet: Fleet;
  readonly value: FleetValue;
  readonly onClose: () => void;
}

/** Says what agents get instead. */
export function RemoveValueDialog({ fleet, value, onClose }: RemoveValueDialogProps) {
  const { id: fleetID, projectID } = fleet;
  const queries = useQueryClient();
  const [despiteFreeze, setDespiteFreeze] = useState(false);
  const { freeze } = useQuery(freezeQuery(projectID)).data ?? {};
  const isFrozen = value.isUsed && freeze != null;
  return (
    <ConfirmDialog
      isOpen
      title={fleetValuesTexts.removeTitle(writtenAs(value))}
      confirm={fleetValuesTexts.removeConfirm}
      isDangerous
      isDisabled={isFrozen && !despiteFreeze}
      onConfirm={async () => {
        const body = { unset: [value.name], ...(isFrozen && { despiteFreeze }) };
        if ('value' in value) {
          const { tag, agentID } = value;
          await updateFleetVariables(client, {
            fleetID,
            body: { ...body, ...(tag !== null && { tag }), ...(agentID !== null && { agentID }) },
          });
        } else await updateFleetSecrets(client, { fleetID, body });
        showDone(fleetValuesTexts.removed(writtenAs(value)));
        await queries.invalidateQueries({ queryKey: fleetsKey(projectID) });
      }}
      onClose={onClose}
    >
      <Text size="sm">
        {!value.isUsed
          ? fleetValuesTexts.reach.unused
          : fleetValuesTexts.removeText[subjectOf(value) === 'fleet' ? 'fleet' : 'other']}
      </Text>
      {isFrozen && <DespiteFreeze freeze={freeze} isChecked={despiteFreeze} onChange={setDespiteFreeze} />}
    </ConfirmDialog>
  );
}
