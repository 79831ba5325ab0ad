import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { NameText } from '../parts/name-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { useMay } from '../session/use-may.ts';
import { overviewTexts } from '../texts/overview.ts';
import { Item } from './attention-item.tsx';
import { longestOfflineQuery, maxCompared } from './overview-queries.ts';

interface OfflineItemProps {
  readonly projectID: string;
  readonly count: number;
}

/** That agents are not heard, and which one has not been for the longest time. */
export function OfflineItem({ projectID, count }: OfflineItemProps) {
  const mayList = useMay(projectID)('read:agent');
  const { data: longest } = useQuery({
    ...longestOfflineQuery(projectID),
    // Of more, the list has only the newest ones.
    enabled: mayList && count <= maxCompared,
  });
  return (
    <Item
      tone="warning"
      title={
        <Link to="/projects/$projectID/agents" params={{ projectID }} search={{ status: 'offline' }}>
          {overviewTexts.offline(count)}
        </Link>
      }
    >
      {longest == null ? (
        overviewTexts.offlineText
      ) : (
        <>
          {count > 1 && overviewTexts.theLongest} <NameText text={longest.name} />,{' '}
          {overviewTexts.lastHeard.toLowerCase()} <RelativeTime at={longest.lastSeenAt} />.
        </>
      )}
    </Item>
  );
}
