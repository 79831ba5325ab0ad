import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { fleetsTexts } from '../../texts/fleets.ts';
import type { DraftFile } from './draft.ts';
import classes from './editor.module.css';

interface FileTabsProps {
  readonly mainName: string;
  readonly files: readonly DraftFile[];
  /** The name of the file that is shown. Undefined: the configuration. */
  readonly current: string | undefined;
  readonly onShow: (name: string | undefined) => void;
  readonly onAdd: (name: string) => void;
  readonly onRemove: (name: string) => void;
}

/** The configuration and the files beside it, one of which is shown. */
export function FileTabs({ mainName, files, current, onShow, onAdd, onRemove }: FileTabsProps) {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <div className={classes.tabs}>
      {files.length === 0 ? (
        <strong>{mainName}</strong>
      ) : (
        <SegmentedControl
          size="xs"
          aria-label={fleetsTexts.filesLabel}
          value={current ?? ''}
          onChange={(value) => onShow(value === '' ? undefined : value)}
          data={[{ value: '', label: mainName }, ...files.map(({ name }) => ({ value: name, label: name }))]}
        />
      )}
      <Button variant="subtle" size="compact-sm" onClick={() => setIsAdding(true)}>
        {`${fleetsTexts.addFile}…`}
      </Button>
      {current !== undefined && (
        <Button variant="subtle" size="compact-sm" c="var(--muster-bad)" onClick={() => onRemove(current)}>
          {fleetsTexts.removeFile}
        </Button>
      )}
      {isAdding && (
        <AddFileDialog
          taken={[mainName, ...files.map(({ name }) => name)]}
          onAdd={onAdd}
          onClose={() => setIsAdding(false)}
        />
      )}
    </div>
  );
}

interface AddFileDialogProps {
  readonly taken: readonly string[];
  readonly onAdd: (name: string) => void;
  readonly onClose: () => void;
}

function AddFileDialog({ taken, onAdd, onClose }: AddFileDialogProps) {
  const [name, setName] = useState('');
  const wanted = name.trim();
  const isTaken = taken.includes(wanted);
  return (
    <ConfirmDialog
      isOpen
      title={fleetsTexts.addFileTitle}
      confirm={fleetsTexts.addFile}
      isDisabled={wanted === '' || isTaken}
      onConfirm={async () => onAdd(wanted)}
      onClose={onClose}
    >
      <TextInput
        label={fleetsTexts.fileName}
        description={fleetsTexts.fileNameText}
        value={name}
        maxLength={255}
        error={isTaken ? fleetsTexts.fileNameTaken : undefined}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
    </ConfirmDialog>
  );
}
