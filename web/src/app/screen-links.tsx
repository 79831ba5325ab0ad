import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { useMay } from '../session/use-may.ts';
import { visibleScreens } from './navigation.ts';
import classes from './shell.module.css';

/** The navigation within a project: the screens that the user may see. */
export function ScreenLinks({ projectID }: { readonly projectID: string }) {
  const may = useMay(projectID);
  return visibleScreens(may).map(({ to, text, icon, isExact }) => (
    <Link
      key={to}
      to={to}
      params={{ projectID }}
      className={classes.link}
      activeOptions={{ exact: isExact, includeSearch: false }}
    >
      <Icon name={icon} />
      {text}
    </Link>
  ));
}
