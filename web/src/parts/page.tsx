import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { LiveBanner } from '../live/live-banner.tsx';
import { appTexts } from '../texts/app.ts';

interface PageProps {
  readonly title: string;
  /** Shown instead of `title`, which then only names the page. */
  readonly heading?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of a screen: its title, which also names the browser's tab, and what can be done on it. */
export function Page({ title, heading, description, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${appTexts.product}`;
  }, [title]);
  return (
    <>
      <Group justify="space-between" align="flex-start" mb="md" gap="sm">
        <div>
          {/* Gets the focus after a navigation, so that screen readers read on from here. */}
          <Title order={1} tabIndex={-1}>
            {heading ?? title}
          </Title>
          {description !== undefined && (
            <Text size="sm" c="dimmed" component="div">
              {description}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      <LiveBanner />
      {children}
    </>
  );
}
