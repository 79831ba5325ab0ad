import { Group, Text, Title } from '@mantine/core';
import { visibleText } from '@muster/contract';
import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { LiveBanner } from '../live/live-banner.tsx';
import { appTexts } from '../texts/app.ts';
import { partsTexts } from '../texts/parts.ts';
import { Icon } from './icon.tsx';
import classes from './page.module.css';
import { useVisited } from './visited.ts';

interface PageProps {
  readonly title: string;
  /** Shown instead of `title`, which then only names the page. */
  readonly heading?: ReactNode;
  readonly description?: ReactNode;
  /** Beside the heading: what is special about the thing, in a word each. */
  readonly marks?: ReactNode;
  /** A link to the list that the screen belongs to. */
  readonly parent?: ReactNode;
  readonly actions?: ReactNode;
  /** True: the screen has its own heading. */
  readonly isBare?: boolean;
  readonly children: ReactNode;
}

/** The frame of a screen: its title, which also names the browser's tab, and what can be done on it. */
export function Page({
  title,
  heading,
  marks,
  description,
  parent,
  actions,
  isBare = false,
  children,
}: PageProps) {
  useEffect(() => {
    document.title = `${visibleText(title)} · ${appTexts.product}`;
  }, [title]);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const visited = useVisited();
  const isOfOne = parent !== undefined;
  useEffect(() => {
    if (isOfOne) visited.note(path, title);
  }, [isOfOne, path, title, visited]);
  return (
    <>
      {!isBare && (
        <div className={classes.head}>
          <div className={classes.heading} data-is-long={heading !== undefined}>
            {parent !== undefined && (
              <nav className={classes.parent} aria-label={partsTexts.breadcrumb}>
                <Icon name="back" size={12} />
                {parent}
              </nav>
            )}
            {/* Gets the focus after a navigation, so that screen readers read on from here. */}
            <div className={classes.title}>
              <Title order={1} tabIndex={-1}>
                {heading ?? title}
              </Title>
              {marks}
            </div>
            {description !== undefined && (
              <Text size="sm" c="dimmed" component="div">
                {description}
              </Text>
            )}
          </div>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </div>
      )}
      <LiveBanner />
      {children}
    </>
  );
}
