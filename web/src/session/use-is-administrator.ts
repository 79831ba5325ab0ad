import { useHeldOnInstallation } from './use-may.ts';

/** True for those who look after the installation: the service tells them of its backups. */
export function useIsAdministrator(): boolean {
  return useHeldOnInstallation().includes('*');
}
