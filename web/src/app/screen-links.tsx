import { useQuery } from '@tanstack/react-query';
import { Link, useMatchRoute } from '@tanstack/react-router';
import { fleetsQuery } from '../fleets/fleets-query.ts';
import { summaryQuery } from '../overview/overview-queries.ts';
import { formatNumber } from '../parts/amount.ts';
import { Icon } from '../parts/icon.tsx';
import { projectsQuery } from '../session/session-queries.ts';
import { useMay } from '../session/use-may.ts';
import { sitesQuery } from '../sites/site-queries.ts';
import { visibleScreens } from './navigation.ts';
import classes from './shell.module.css';

/** The navigation within a project: the screens that the user may see, with how much is on them. */
export function ScreenLinks({ projectID }: { readonly projectID: string }) {
  const may = useMay(projectID);
  const matchRoute = useMatchRoute();
  const amounts = useAmounts(projectID);
  return visibleScreens(may).map((screen) => {
    const { to, text, icon, isExact } = screen;
    const isPart = 'withToo' in screen && matchRoute({ to: screen.withToo, params: { projectID } }) !== false;
    const { count = 0, isBad = false } = amounts[icon] ?? {};
    return (
      <Link
        key={to}
        to={to}
        params={{ projectID }}
        className={classes.link}
        data-is-part={isPart || undefined}
        data-begins={icon === 'tokens' || undefined}
        activeOptions={{ exact: isExact, includeSearch: false }}
      >
        <Icon name={icon} />
        {text}
        {/* The screen says it in words. */}
        {count > 0 && (
          <span className={classes.count} data-is-bad={isBad} aria-hidden="true">
            {formatNumber(count)}
          </span>
        )}
      </Link>
    );
  });
}

interface Amount {
  readonly count: number;
  readonly isBad?: boolean;
}

/** By the icons of the screens. Nothing of what is not known yet. */
function useAmounts(projectID: string): Readonly<Record<string, Amount>> {
  const may = useMay(projectID);
  const { data: projects } = useQuery(projectsQuery);
  // Of no project that an address only claims.
  const isKnown = projects?.some(({ id }) => id === projectID) === true;
  const mayCount = isKnown && may('read:project');
  const maySeeSites = isKnown && may('read:core_instance');
  const { data: summary } = useQuery({ ...summaryQuery(projectID), enabled: mayCount });
  const maySeeFleets = isKnown && may('read:fleet');
  const { data: sites } = useQuery({ ...sitesQuery(projectID), enabled: maySeeSites });
  const { data: fleets } = useQuery({ ...fleetsQuery(projectID), enabled: maySeeFleets });
  return {
    ...(mayCount &&
      summary && { causes: { count: summary.openGroupsCount }, agents: { count: summary.agentsCount } }),
    ...(maySeeFleets && fleets && { fleets: { count: fleets.length } }),
    ...(maySeeSites &&
      sites && {
        sites: { count: sites.length, isBad: sites.some(({ status }) => status === 'unreachable') },
      }),
  };
}
