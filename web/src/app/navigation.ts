import type { Permission } from '@muster/contract';
import type { IconName } from '../parts/icon.tsx';
import { appTexts } from '../texts/app.ts';

/** The screens of a project, in the order of the navigation. */
export const screens = [
  {
    to: '/projects/$projectID',
    text: appTexts.overview,
    icon: 'overview',
    needs: 'read:project',
    isExact: true,
  },
  {
    to: '/projects/$projectID/causes',
    text: appTexts.causes,
    icon: 'causes',
    needs: 'read:agent_error',
    isExact: false,
    // Their address stands beside that of causes, whose screen leads to it.
    withToo: '/projects/$projectID/dismissals',
  },
  {
    to: '/projects/$projectID/agents',
    text: appTexts.agents,
    icon: 'agents',
    needs: 'read:agent',
    isExact: false,
  },
  {
    to: '/projects/$projectID/fleets',
    text: appTexts.fleets,
    icon: 'fleets',
    needs: 'read:fleet',
    isExact: false,
  },
  {
    to: '/projects/$projectID/sites',
    text: appTexts.sites,
    icon: 'sites',
    needs: 'read:core_instance',
    isExact: false,
  },
  {
    to: '/projects/$projectID/tokens',
    text: appTexts.tokens,
    icon: 'tokens',
    needs: 'read:token',
    isExact: false,
  },
  {
    to: '/projects/$projectID/alerts',
    text: appTexts.alerts,
    icon: 'alerts',
    needs: 'read:webhook',
    isExact: false,
  },
  {
    to: '/projects/$projectID/members',
    text: appTexts.members,
    icon: 'members',
    needs: 'read:member',
    isExact: false,
  },
  {
    to: '/projects/$projectID/audit_log',
    text: appTexts.audit,
    icon: 'audit',
    needs: 'read:audit_log',
    // So that a viewer does not see it.
    needsToo: 'update:member',
    isExact: false,
  },
  {
    to: '/projects/$projectID/settings',
    text: appTexts.settings,
    icon: 'settings',
    needs: 'read:project',
    isExact: false,
  },
] as const satisfies readonly {
  readonly to: string;
  readonly text: string;
  readonly icon: IconName;
  /** Who lacks it does not see the screen. */
  readonly needs: Permission;
  readonly needsToo?: Permission;
  /** False: the screens below it belong to it. */
  readonly isExact: boolean;
  /** Another screen that belongs to it. */
  readonly withToo?: string;
}[];

/** The screens that a user may see. */
export function visibleScreens(may: (permission: Permission) => boolean) {
  return screens.filter((screen) => may(screen.needs) && (!('needsToo' in screen) || may(screen.needsToo)));
}
