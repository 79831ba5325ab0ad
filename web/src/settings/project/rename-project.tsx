import { Button, Group, TextInput } from '@mantine/core';
import { type Project, updateProject } from '@muster/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { explainError } from '../../parts/explain-error.ts';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { projectKey } from '../../service/query-client.ts';
import { meQuery, projectsQuery } from '../../session/session-queries.ts';
import { partsTexts } from '../../texts/parts.ts';
import { settingsTexts } from '../../texts/settings.ts';

interface RenameProjectProps {
  readonly project: Project;
  readonly mayRename: boolean;
}

export function RenameProject({ project, mayRename }: RenameProjectProps) {
  const [name, setName] = useState(project.name);
  const queries = useQueryClient();
  const rename = useMutation({
    mutationFn: () => updateProject(client, { projectID: project.id, body: { name } }),
    onSuccess: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: [...projectKey(project.id), 'project'] }),
        queries.invalidateQueries({ queryKey: projectsQuery.queryKey }),
        queries.invalidateQueries({ queryKey: meQuery.queryKey }),
      ]);
      showDone(settingsTexts.renamed);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate();
      }}
    >
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          label={settingsTexts.name}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={128}
          required={mayRename}
          withAsterisk={false}
          readOnly={!mayRename}
          description={mayRename ? undefined : settingsTexts.mayNotRename}
          dir="auto"
          flex={1}
          miw={0}
        />
        {mayRename && (
          <Button
            type="submit"
            loading={rename.isPending}
            disabled={name === project.name || name.trim() === ''}
          >
            {partsTexts.save}
          </Button>
        )}
      </Group>
      {rename.error !== null && (
        <p role="alert" className="alert-text">
          {explainError(rename.error).text}
        </p>
      )}
    </form>
  );
}
