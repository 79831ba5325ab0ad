import { TextInput } from '@mantine/core';
import { createProject } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { client } from '../service/client.ts';
import { meQuery, projectsQuery } from '../session/session-queries.ts';
import { appTexts } from '../texts/app.ts';

interface CreatedProject {
  readonly id: string;
  readonly token: string;
}

/** Makes a project, shows its first token once, and goes to it. */
export default function CreateProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  // The token lives here alone, until the dialog is closed.
  const [created, setCreated] = useState<CreatedProject>();
  const hasCreated = useRef(false);
  const queries = useQueryClient();
  const { navigate } = useRouter();
  if (created !== undefined)
    return (
      <SecretDialog
        title={appTexts.firstToken}
        secret={created.token}
        onClose={() => {
          onClose();
          void navigate({ to: '/projects/$projectID', params: { projectID: created.id } });
        }}
      />
    );
  return (
    <ConfirmDialog
      isOpen
      title={appTexts.createProjectTitle}
      confirm={appTexts.createProjectConfirm}
      isDisabled={name.trim() === ''}
      onConfirm={async () => {
        const { id, token } = await createProject(client, { body: { name: name.trim() } });
        // What the user may do in it is part of who they are.
        await queries.invalidateQueries({ queryKey: meQuery.queryKey });
        await queries.invalidateQueries({ queryKey: projectsQuery.queryKey });
        hasCreated.current = true;
        setCreated({ id, token });
      }}
      onClose={() => {
        // A dialog that has done its work closes itself, and must not take the token with it.
        if (!hasCreated.current) onClose();
      }}
    >
      <TextInput
        label={appTexts.projectName}
        description={appTexts.projectNameText}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        maxLength={128}
        required
        data-autofocus
      />
    </ConfirmDialog>
  );
}
