import { MusterError } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { projectQuery, projectsQuery } from '../session/session-queries.ts';
import { useMay } from '../session/use-may.ts';
import { visibleScreens } from './navigation.ts';

/** True if the service knows no such project, or none that the user has a part in: an address may be mistyped. */
export function useIsUnknown(projectID: string | undefined): boolean {
  const { data: projects } = useQuery(projectsQuery);
  const isListed =
    projectID === undefined || projects === undefined || projects.some(({ id }) => id === projectID);
  // Only the newest projects are listed.
  const may = useMay(projectID ?? '');
  const mayRead = may('read:project');
  const { error } = useQuery({ ...projectQuery(projectID ?? ''), enabled: !isListed && mayRead });
  if (isListed) return false;
  if (!mayRead) return visibleScreens(may).length === 0;
  return error instanceof MusterError && (error.status === 404 || error.status === 400);
}
