import { Stack, Text, Title } from '@mantine/core';
import type { Me } from '@muster/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Command } from '../parts/command.tsx';
import { formatDuration } from '../parts/format-duration.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { useTime } from '../parts/use-time.ts';
import { meQuery } from '../session/session-queries.ts';
import { settingsTexts } from '../texts/settings.ts';

/** How old the last backup is, as far as the service knows, and the commands that make and restore one. */
export function BackupsSection() {
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <Stack gap="lg" maw="44rem">
      {me.backups === undefined ? (
        <div>
          <Text size="sm" mb="xs">
            {settingsTexts.noBackupsByItself}
          </Text>
          <Command command={settingsTexts.scheduleCommand} />
        </div>
      ) : (
        <LastBackup backups={me.backups} />
      )}
      <section>
        <Title order={2} mb="xs">
          {settingsTexts.makeBackup}
        </Title>
        <Command command={settingsTexts.backupCommand} />
      </section>
      <section>
        <Title order={2} mb="xs">
          {settingsTexts.restoreBackup}
        </Title>
        <Command command={settingsTexts.restoreCommand} />
      </section>
    </Stack>
  );
}

function nextOf(lastAt: string, everySeconds: number): string {
  return new Date(Date.parse(lastAt) + everySeconds * 1_000).toISOString();
}

/** After so many intervals without a backup, something is wrong, as for `muster doctor`. */
const overdueIntervals = 2;

function LastBackup({ backups: { lastAt, everySeconds } }: { readonly backups: NonNullable<Me['backups']> }) {
  const age = (useTime() - Date.parse(lastAt ?? '')) / 1_000;
  const isOverdue = lastAt === null || age > overdueIntervals * everySeconds;
  return (
    <div>
      <Text size="sm" fw={600} {...(isOverdue ? { c: 'var(--muster-warning)' } : {})}>
        {lastAt === null ? (
          settingsTexts.noBackup
        ) : (
          <>
            {settingsTexts.lastBackup} <RelativeTime at={lastAt} />.
            {!isOverdue && (
              <>
                {' '}
                {settingsTexts.nextBackup} <RelativeTime at={nextOf(lastAt, everySeconds)} />.
              </>
            )}
          </>
        )}
      </Text>
      {isOverdue && <Text size="sm">{settingsTexts.backupOverdue(formatDuration(everySeconds))}</Text>}
      <Text size="sm" c="dimmed">
        {settingsTexts.knownBackups}
      </Text>
    </div>
  );
}
