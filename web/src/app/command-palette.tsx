import { Button } from '@mantine/core';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { useMayOnInstallation } from '../session/use-may.ts';
import { appTexts } from '../texts/app.ts';
import classes from './shell.module.css';
import { takeEarlyKeys } from './take-early-keys.ts';

const PaletteDialog = lazy(whenReachable(() => import('./palette-dialog.tsx')));

const CreateProjectDialog = lazy(whenReachable(() => import('./create-project-dialog.tsx')));

/** Finds or does anything. What it needs is loaded when it is first opened. */
export function CommandPalette({ projectID }: { readonly projectID: string | undefined }) {
  const [openings, setOpenings] = useState(0);
  const [typed, setTyped] = useState('');
  const [isCreating, setIsCreating] = useState(false);
  const mayCreate = useMayOnInstallation()('create:project');
  const open = useCallback(() => {
    setOpenings((before) => before + 1);
    takeEarlyKeys((key) => setTyped((before) => before + key));
  }, []);
  // Not by useHotkeys, whose names of all keys would be in the first load. Unlike the other keys, it also opens from within a field or a dialog.
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (!/^k$/i.test(key) || ctrlKey === metaKey || altKey || shiftKey) return;
      event.preventDefault();
      open();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [open]);
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<Icon name="search" size={14} />}
        rightSection={<kbd className={classes.key}>Ctrl K</kbd>}
        onClick={open}
        className={classes.find ?? ''}
      >
        {appTexts.goTo}
      </Button>
      {openings > 0 && (
        <Suspense>
          <PaletteDialog
            projectID={projectID}
            openings={openings}
            typed={typed}
            onTyped={setTyped}
            onCreateProject={mayCreate ? () => setIsCreating(true) : undefined}
          />
        </Suspense>
      )}
      {isCreating && (
        <Suspense>
          <CreateProjectDialog onClose={() => setIsCreating(false)} />
        </Suspense>
      )}
    </>
  );
}
