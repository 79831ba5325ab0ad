import { Link, useMatchRoute } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { useMay } from '../session/use-may.ts';
import { visibleScreens } from './navigation.ts';
import classes from './shell.module.css';

/** The navigation within a project: the screens that the user may see. */
export function ScreenLinks({ projectID }: { readonly projectID: string }) {
  const may = useMay(projectID);
  const matchRoute = useMatchRoute();
  return visibleScreens(may).map((screen) => {
    const { to, text, icon, isExact } = screen;
    const isPart = 'withToo' in screen && matchRoute({ to: screen.withToo, params: { projectID } }) !== false;
    return (
      <Link
        key={to}
        to={to}
        params={{ projectID }}
        className={classes.link}
        data-is-part={isPart || undefined}
        activeOptions={{ exact: isExact, includeSearch: false }}
      >
        <Icon name={icon} />
        {text}
      </Link>
    );
  });
}
