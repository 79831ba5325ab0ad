import { Group } from '@mantine/core';
import type { ReactNode } from 'react';

/** What can be done with a part of a screen, above it. */
export function SectionActions({ children }: { readonly children: ReactNode }) {
  return (
    <Group justify="flex-end" mb="sm" gap="xs">
      {children}
    </Group>
  );
}
