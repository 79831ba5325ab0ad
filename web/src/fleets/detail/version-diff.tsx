import { Skeleton, Text } from '@mantine/core';
import { visibleText } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import type { LineNote } from '../../agents/detail/diff-lines.tsx';
import { Difference } from '../../agents/detail/difference.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { fleetsTexts } from '../../texts/fleets.ts';
import { versionDiffQuery } from '../fleet-queries.ts';

interface VersionDiffProps {
  readonly projectID: string;
  readonly versionID: string;
  /** Undefined: the version before. */
  readonly against: string | undefined;
  readonly label?: string;
  readonly note?: LineNote | undefined;
}

/** What differs between two versions of a fleet: the configuration line by line, and the names of files. */
export function VersionDiff({ projectID, versionID, against, label, note }: VersionDiffProps) {
  const { data, error, refetch } = useQuery(versionDiffQuery(projectID, versionID, against));
  if (error !== null && data === undefined)
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={160} />;
  const { files } = fleetsTexts;
  const changes = [
    [files.added, data.addedFiles],
    [files.changed, data.changedFiles],
    [files.removed, data.removedFiles],
  ] as const;
  return (
    <>
      <Difference
        difference={data}
        same={fleetsTexts.sameText}
        first={fleetsTexts.firstVersion}
        label={label}
        note={note}
      />
      {changes
        .filter(([, names]) => names.length > 0)
        .map(([say, names]) => (
          <Text key={say('')} size="sm" mt="xs">
            {say(names.map((name) => visibleText(name)).join(', '))}
          </Text>
        ))}
    </>
  );
}
