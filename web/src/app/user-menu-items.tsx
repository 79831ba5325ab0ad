import { Menu, useMantineColorScheme } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MenuButton } from '../parts/button-menu.tsx';
import { Icon } from '../parts/icon.tsx';
import { OpeningMenu } from '../parts/opening-menu.tsx';
import { rootURL } from '../service/root-url.ts';
import { meQuery } from '../session/session-queries.ts';
import { useMayOnInstallation } from '../session/use-may.ts';
import { appTexts } from '../texts/app.ts';
import { sessionTexts } from '../texts/session.ts';

const schemes = [
  { value: 'light', text: appTexts.light },
  { value: 'dark', text: appTexts.dark },
  { value: 'auto', text: appTexts.system },
] as const;

interface UserMenuItemsProps {
  readonly button: MenuButton;
  readonly onKeys: () => void;
  readonly onSignOut: () => void;
}

export default function UserMenuItems({ button, onKeys, onSignOut }: UserMenuItemsProps) {
  const { data: me } = useSuspenseQuery(meQuery);
  const mayOnInstallation = useMayOnInstallation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <OpeningMenu button={button} position="bottom-end" width={230}>
      <Menu.Label>
        <bdi>{sessionTexts.signedInAs(me.name)}</bdi>
      </Menu.Label>
      <Menu.Item component={Link} to="/account">
        {appTexts.account}
      </Menu.Item>
      {mayOnInstallation('read:audit_log') && mayOnInstallation('update:member') && (
        <Menu.Item component={Link} to="/account/audit_log">
          {appTexts.installationAudit}
        </Menu.Item>
      )}
      <Menu.Item onClick={onKeys}>{appTexts.keys}</Menu.Item>
      <Menu.Item component="a" href={new URL('docs', rootURL).href}>
        {appTexts.reference}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Label>{appTexts.appearance}</Menu.Label>
      {schemes.map(({ value, text }) => (
        <Menu.Item
          key={value}
          role="menuitemradio"
          aria-checked={colorScheme === value}
          onClick={() => setColorScheme(value)}
          rightSection={colorScheme === value ? <Icon name="check" size={14} /> : undefined}
        >
          {text}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item onClick={onSignOut}>{sessionTexts.signOut}</Menu.Item>
    </OpeningMenu>
  );
}
