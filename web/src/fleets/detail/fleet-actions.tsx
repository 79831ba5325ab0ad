import { Button, Text } from '@mantine/core';
import { deleteFleet, type Fleet, updateFleet } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../session/use-may.ts';
import { fleetValuesTexts } from '../../texts/fleet-values.ts';
import { fleetsTexts } from '../../texts/fleets.ts';
import { FleetFields } from '../fleet-fields.tsx';
import { bodyOf, inputOf } from '../fleet-input.ts';
import { fleetQuery } from '../fleet-queries.ts';
import { fleetsKey, fleetsQuery } from '../fleets-query.ts';

interface FleetActionsProps {
  readonly fleet: Fleet;
  readonly agentsCount: number;
}

/** Where the parts of a fleet are, and what the user may do with it. */
export function FleetActions({ fleet, agentsCount }: FleetActionsProps) {
  const [asked, setAsked] = useState<'settings' | 'delete'>();
  const may = useMay(fleet.projectID);
  const close = () => setAsked(undefined);
  return (
    <>
      {may('update:fleet') && (
        <Button
          variant={fleet.currentVersion === null ? 'filled' : 'default'}
          renderRoot={(props) => (
            <Link
              to="/projects/$projectID/fleets/$fleetID/edit"
              params={{ projectID: fleet.projectID, fleetID: fleet.id }}
              {...props}
            />
          )}
        >
          {fleet.currentVersion === null ? fleetsTexts.write : fleetsTexts.edit}
        </Button>
      )}
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link
            to="/projects/$projectID/fleets/$fleetID/values"
            params={{ projectID: fleet.projectID, fleetID: fleet.id }}
            {...props}
          />
        )}
      >
        {fleetValuesTexts.title}
      </Button>
      {may('update:fleet') && (
        <Button variant="default" onClick={() => setAsked('settings')}>
          {fleetsTexts.settings}
        </Button>
      )}
      {may('delete:fleet') && (
        <Button variant="default" c="var(--muster-bad)" onClick={() => setAsked('delete')}>
          {fleetsTexts.delete}
        </Button>
      )}
      {asked === 'settings' && <SettingsDialog fleet={fleet} agentsCount={agentsCount} onClose={close} />}
      <DeleteDialog fleet={fleet} isOpen={asked === 'delete'} onClose={close} />
    </>
  );
}

interface SettingsDialogProps extends FleetActionsProps {
  readonly onClose: () => void;
}

function SettingsDialog({ fleet, agentsCount, onClose }: SettingsDialogProps) {
  const queries = useQueryClient();
  const [input, setInput] = useState(() => inputOf(fleet));
  const body = bodyOf(input);
  const servesAgain =
    body !== undefined && body.reporting !== fleet.reporting && fleet.currentVersion !== null;
  return (
    <ConfirmDialog
      isOpen
      title={fleetsTexts.settingsTitle(fleet.name)}
      confirm={fleetsTexts.settingsConfirm}
      isDisabled={body === undefined}
      onConfirm={async () => {
        if (body === undefined) return;
        await updateFleet(client, { fleetID: fleet.id, body });
        showDone(fleetsTexts.settingsSaved);
        await queries.invalidateQueries({ queryKey: fleetsKey(fleet.projectID) });
      }}
      onClose={onClose}
    >
      <FleetFields
        input={input}
        onChange={setInput}
        nameHint={input.name === fleet.name ? undefined : fleetsTexts.renameText}
      />
      {servesAgain && (
        <Text size="sm" mt="md" fw={600} role="status">
          {fleetsTexts.reportingChanged(agentsCount)}
        </Text>
      )}
    </ConfirmDialog>
  );
}

interface DeleteDialogProps {
  readonly fleet: Fleet;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteDialog({ fleet: { id: fleetID, projectID, name }, isOpen, onClose }: DeleteDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={fleetsTexts.deleteTitle(name)}
      confirm={fleetsTexts.deleteConfirm}
      isDangerous
      onConfirm={async () => {
        await deleteFleet(client, { fleetID });
        showDone(fleetsTexts.deleted(name));
        await navigate({ to: '/projects/$projectID/fleets', params: { projectID } });
        queries.removeQueries({ queryKey: fleetQuery(projectID, fleetID).queryKey });
        await queries.invalidateQueries({ queryKey: fleetsQuery(projectID).queryKey });
      }}
      onClose={onClose}
    >
      <Text size="sm">{fleetsTexts.deleteText}</Text>
    </ConfirmDialog>
  );
}
