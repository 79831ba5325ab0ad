import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Command } from './command.tsx';
import classes from './state.module.css';

interface EmptyStateProps {
  readonly title: string;
  readonly text: string;
  /** What to run next. */
  readonly command?: string;
  readonly action?: ReactNode;
}

/** Says why there is nothing, and what to do next. */
export function EmptyState({ title, text, command, action }: EmptyStateProps) {
  return (
    <div className={classes.state}>
      <Title order={2}>{title}</Title>
      <Text size="sm" c="dimmed" maw="34rem">
        {text}
      </Text>
      {command !== undefined && <Command command={command} />}
      {action}
    </div>
  );
}
