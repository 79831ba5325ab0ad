import { Button, Group, Skeleton, Text, Title } from '@mantine/core';
import type { FreezeWindow } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState } from '../../parts/error-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { freezeQuery } from '../../rollouts/upcoming-queries.ts';
import { useMay } from '../../session/use-may.ts';
import { freezeTexts } from '../../texts/freeze.ts';
import { AddWindowDialog } from './add-window-dialog.tsx';
import classes from './freeze.module.css';
import { RemoveWindowDialog } from './remove-window-dialog.tsx';

/** When no rollout of a project starts. */
export function FreezeSection({ projectID }: { readonly projectID: string }) {
  const mayChange = useMay(projectID)('update:project');
  const { data, error, refetch } = useQuery(freezeQuery(projectID));
  const [isAdding, setIsAdding] = useState(false);
  const [removed, setRemoved] = useState<FreezeWindow>();
  return (
    <section aria-labelledby="freeze-windows">
      <Group justify="space-between" gap="xs">
        <Title order={2} id="freeze-windows">
          {freezeTexts.title}
        </Title>
        {mayChange && (
          <Button variant="default" size="compact-sm" onClick={() => setIsAdding(true)}>
            {freezeTexts.add}
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed" mt={4} mb="sm">
        {freezeTexts.text}
      </Text>
      {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={48} />}
      {data?.freezeWindows.length === 0 && <Text size="sm">{freezeTexts.none}</Text>}
      {data !== undefined && data.freezeWindows.length > 0 && (
        <ul className={classes.windows}>
          {data.freezeWindows.map((window) => (
            <li key={window.name}>
              <div>
                <strong>
                  <NameText text={window.name} />
                </strong>
                {data.freeze?.name === window.name && (
                  <StatusBadge
                    tone="warning"
                    text={
                      <span>
                        {freezeTexts.now}
                        {data.freeze.endsAt !== null && (
                          <>
                            {freezeTexts.until} <Moment at={data.freeze.endsAt} />
                          </>
                        )}
                      </span>
                    }
                  />
                )}
                <Hours window={window} />
              </div>
              {mayChange && (
                <Button
                  variant="default"
                  size="compact-sm"
                  flex="none"
                  aria-label={freezeTexts.removeOf(window.name)}
                  onClick={() => setRemoved(window)}
                >
                  {freezeTexts.remove}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isAdding && (
        <AddWindowDialog
          projectID={projectID}
          taken={data?.freezeWindows ?? []}
          onClose={() => setIsAdding(false)}
        />
      )}
      {removed !== undefined && (
        <RemoveWindowDialog projectID={projectID} window={removed} onClose={() => setRemoved(undefined)} />
      )}
    </section>
  );
}

function Hours({ window }: { readonly window: FreezeWindow }) {
  return (
    <p>
      {'weekdays' in window ? (
        <>
          {window.weekdays.map((day) => freezeTexts.weekdays[day]).join(', ')}, {window.from} – {window.to},{' '}
          {window.zone}
        </>
      ) : (
        <>
          <Moment at={window.startsAt} /> – <Moment at={window.endsAt} />
        </>
      )}
    </p>
  );
}
