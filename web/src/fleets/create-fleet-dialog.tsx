import { createFleet } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { showDone } from '../parts/toasts.tsx';
import { client } from '../service/client.ts';
import { fleetsTexts } from '../texts/fleets.ts';
import { FleetFields } from './fleet-fields.tsx';
import { bodyOf, emptyFleet } from './fleet-input.ts';
import { fleetsKey } from './fleets-query.ts';

interface CreateFleetDialogProps {
  readonly projectID: string;
  readonly onClose: () => void;
}

/** Creates a fleet without a configuration, and goes to it. */
export function CreateFleetDialog({ projectID, onClose }: CreateFleetDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [input, setInput] = useState(emptyFleet);
  const body = bodyOf(input);
  return (
    <ConfirmDialog
      isOpen
      title={fleetsTexts.create}
      confirm={fleetsTexts.createConfirm}
      isDisabled={body === undefined}
      onConfirm={async () => {
        if (body === undefined) return;
        const { id: fleetID } = await createFleet(client, { projectID, body });
        showDone(fleetsTexts.created(body.name ?? ''));
        await navigate({ to: '/projects/$projectID/fleets/$fleetID', params: { projectID, fleetID } });
        await queries.invalidateQueries({ queryKey: fleetsKey(projectID) });
      }}
      onClose={onClose}
    >
      <FleetFields input={input} onChange={setInput} />
    </ConfirmDialog>
  );
}
