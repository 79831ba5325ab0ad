import { Button, NativeSelect, Textarea, Title } from '@mantine/core';
import {
  createFleetVersion,
  type Fleet,
  type FleetConfigFinding,
  type FleetVersion,
  type FleetVersionWithConfig,
} from '@muster/client';
import { fleetConfigFormats } from '@muster/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { formatBytes } from '../../parts/format-bytes.ts';
import { Page } from '../../parts/page.tsx';
import { showDone, showError } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { fleetsTexts } from '../../texts/fleets.ts';
import { fleetsKey } from '../fleets-query.ts';
import { CheckPanel } from './check-panel.tsx';
import { ConfigEditor } from './config-editor.tsx';
import {
  bodyOf,
  type Draft,
  type DraftFile,
  forgetDraft,
  hasSameFiles,
  keepDraft,
  readDraft,
  textOf,
  withText,
} from './draft.ts';
import classes from './editor.module.css';
import { FileTabs } from './file-tabs.tsx';
import { newLines } from './new-lines.ts';
import { beginOfLine, remedyOf } from './remedy.ts';
import { useCheck } from './use-check.ts';

interface VersionEditorProps {
  readonly fleet: Fleet;
  /** What the draft begins with. Undefined: the fleet has no version. */
  readonly base: FleetVersionWithConfig | undefined;
  /** The files that the fleet has now. */
  readonly stored: readonly DraftFile[];
  readonly newest: FleetVersion | undefined;
  readonly isRestored: boolean;
  readonly agentsCount: number;
  /** Leads back to the fleet. */
  readonly parent: ReactNode;
}

/** A draft of a version. It is kept in the tab, and saved only if the service finds nothing wrong with exactly what is written. */
export function VersionEditor(props: VersionEditorProps) {
  const { fleet, base, stored, newest, parent } = props;
  const { id: fleetID, projectID } = fleet;
  const [begin] = useState(() => draftOf(base, newest, stored));
  const [draft, setDraft] = useState(
    () => (props.isRestored ? readDraft(sessionStorage, fleetID) : undefined) ?? begin,
  );
  const [isRestored, setIsRestored] = useState(props.isRestored);
  const [shown, setShown] = useState<string>();
  const [skipsUnknown, setSkipsUnknown] = useState(false);
  const [isDiscarding, setIsDiscarding] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const body = bodyOf(draft, stored, skipsUnknown);
  const check = useCheck(projectID, fleetID, body);
  const isChanged =
    draft.rawConfig !== begin.rawConfig ||
    draft.configFormat !== begin.configFormat ||
    !hasSameFiles(draft.files, begin.files);
  useEffect(() => {
    if (draft === begin) forgetDraft(sessionStorage, fleetID);
    else keepDraft(sessionStorage, fleetID, draft);
  }, [draft, begin, fleetID]);

  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const file = draft.files.find(({ name }) => name === shown);
  const textOfFile = (name: string | undefined) => {
    const one = draft.files.find((other) => other.name === name);
    return one === undefined ? draft.rawConfig : textOf(one);
  };
  const text = textOfFile(shown);
  const write = (name: string | undefined, next: string) =>
    change(name === undefined ? { rawConfig: next } : { files: withText(draft.files, name, next) });
  const go = ({ file: name, line }: FleetConfigFinding) => {
    setShown(name);
    // The other file is shown first.
    requestAnimationFrame(() => {
      const at = beginOfLine(field.current?.value ?? '', line ?? 1) ?? 0;
      field.current?.focus();
      field.current?.setSelectionRange(at, at);
      field.current?.scrollIntoView({ block: 'nearest' });
    });
  };
  const use = (finding: FleetConfigFinding) => {
    const before = textOfFile(finding.file) ?? '';
    const remedy = remedyOf(finding, before);
    if (remedy === undefined) return;
    write(finding.file, before.slice(0, remedy.begin) + remedy.word + before.slice(remedy.end));
    go(finding);
  };
  const save = async () => {
    setIsSaving(true);
    try {
      const { id: version, number } = await createFleetVersion(client, { fleetID, body });
      forgetDraft(sessionStorage, fleetID);
      showDone(fleetsTexts.savedAs(number));
      await queries.invalidateQueries({ queryKey: fleetsKey(projectID) });
      await navigate({
        to: '/projects/$projectID/fleets/$fleetID',
        params: { projectID, fleetID },
        search: { version },
      });
    } catch (error) {
      showError(error);
      setIsSaving(false);
    }
  };
  const discard = () => {
    setDraft(begin);
    setIsRestored(false);
    setShown(undefined);
  };
  const isSuperseded = newest !== undefined && newest.number > draft.newestNumber;
  return (
    <Page
      title={fleetsTexts.editorTitle(fleet.name)}
      parent={parent}
      description={
        <>
          {base !== undefined && `${fleetsTexts.from} ${fleetsTexts.version(base.number)}. `}
          <strong>{fleetsTexts.nobodyGets}</strong>
        </>
      }
      actions={
        <>
          {draft !== begin && (
            <Button variant="default" onClick={() => setIsDiscarding(true)}>
              {`${fleetsTexts.discard}…`}
            </Button>
          )}
          <Button disabled={!check.isClean || !isChanged} loading={isSaving} onClick={() => void save()}>
            {fleetsTexts.save((newest?.number ?? 0) + 1)}
          </Button>
        </>
      }
    >
      {isSuperseded && <p className={classes.notice}>{fleetsTexts.superseded(newest.number)}</p>}
      {base !== undefined && !base.isCurrent && stored.length > 0 && (
        <p className={classes.foot}>{fleetsTexts.filesNow}</p>
      )}
      {isRestored && <p className={classes.foot}>{fleetsTexts.restored}</p>}
      <div className={classes.columns}>
        <div>
          <FileTabs
            mainName={fleetsTexts.mainFile(draft.configFormat)}
            files={draft.files}
            current={shown}
            onShow={setShown}
            onAdd={(name) => {
              change({ files: [...draft.files, { name, contents: '' }] });
              setShown(name);
            }}
            onRemove={(name) => {
              change({ files: draft.files.filter((other) => other.name !== name) });
              setShown(undefined);
            }}
          />
          {text === undefined ? (
            <div className={classes.binary}>
              {fleetsTexts.binaryFile(formatBytes(Math.floor(((file?.contents.length ?? 0) / 4) * 3)))}
            </div>
          ) : (
            <ShownText
              name={shown}
              text={text}
              before={shown === undefined ? begin.rawConfig : textBefore(begin, shown)}
              findings={check.findings.filter(({ file: name }) => name === shown)}
              mainName={fleetsTexts.mainFile(draft.configFormat)}
              onChange={(next) => write(shown, next)}
              onUse={use}
              field={field}
            />
          )}
          <p className={classes.foot}>{fleetsTexts.kept}</p>
        </div>
        <div className={classes.side}>
          <CheckPanel
            check={check}
            isEmpty={draft.rawConfig.trim() === ''}
            textOf={({ file: name }) => textOfFile(name) ?? ''}
            onUse={use}
            onGo={go}
            skipsUnknown={skipsUnknown}
            onSkipUnknown={setSkipsUnknown}
          />
          <WhatChanges base={base} draft={draft} isChanged={isChanged} />
          <section>
            <Title order={2} mb="xs">
              {fleetsTexts.whoWouldGetIt}
            </Title>
            <Facts
              facts={[
                { name: fleetsTexts.agents, value: fleetsTexts.inFleet(props.agentsCount) },
                {
                  name: fleetsTexts.reportingName,
                  value: fleet.reporting === 'on' ? fleetsTexts.reportingOn : fleetsTexts.reportingOff,
                },
              ]}
            />
          </section>
          {base === undefined && (
            <NativeSelect
              label={fleetsTexts.format}
              value={draft.configFormat}
              onChange={({ currentTarget: { value } }) =>
                change({ configFormat: fleetConfigFormats.find((one) => one === value) ?? 'classic' })
              }
              data={fleetConfigFormats.map((value) => ({ value, label: fleetsTexts.formats[value] }))}
            />
          )}
          <Textarea
            label={fleetsTexts.note}
            placeholder={fleetsTexts.notePlaceholder}
            value={draft.note}
            maxLength={1_000}
            autosize
            minRows={2}
            onChange={({ currentTarget }) => change({ note: currentTarget.value })}
          />
        </div>
      </div>
      <ConfirmDialog
        isOpen={isDiscarding}
        title={fleetsTexts.discardTitle}
        confirm={fleetsTexts.discard}
        isDangerous
        onConfirm={async () => discard()}
        onClose={() => setIsDiscarding(false)}
      >
        {fleetsTexts.discardText}
      </ConfirmDialog>
    </Page>
  );
}

function draftOf(
  base: FleetVersionWithConfig | undefined,
  newest: FleetVersion | undefined,
  files: readonly DraftFile[],
): Draft {
  return {
    fromID: base?.id ?? null,
    newestNumber: newest?.number ?? 0,
    rawConfig: base?.rawConfig ?? '',
    configFormat: base?.configFormat ?? 'classic',
    files,
    note: '',
  };
}

function textBefore({ files }: Draft, name: string): string {
  const file = files.find((one) => one.name === name);
  return (file && textOf(file)) ?? '';
}

interface ShownTextProps {
  /** Undefined: the configuration. */
  readonly name: string | undefined;
  readonly mainName: string;
  readonly text: string;
  readonly before: string;
  readonly findings: readonly FleetConfigFinding[];
  readonly onChange: (text: string) => void;
  readonly onUse: (finding: FleetConfigFinding) => void;
  readonly field: React.RefObject<HTMLTextAreaElement | null>;
}

function ShownText({ name, mainName, before, ...props }: ShownTextProps) {
  const { text } = props;
  const changed = useMemo(() => (before === '' ? [] : newLines(before, text)), [before, text]);
  return <ConfigEditor {...props} label={fleetsTexts.textOf(name ?? mainName)} changed={changed} />;
}

interface WhatChangesProps {
  readonly base: FleetVersionWithConfig | undefined;
  readonly draft: Draft;
  readonly isChanged: boolean;
}

function WhatChanges({ base, draft, isChanged }: WhatChangesProps) {
  const before = base?.rawConfig ?? '';
  const [added, removed] = useMemo(
    () => [newLines(before, draft.rawConfig).length, newLines(draft.rawConfig, before).length],
    [before, draft.rawConfig],
  );
  return (
    <section>
      <Title order={2} mb="xs">
        {fleetsTexts.whatChanges}
      </Title>
      <p className={classes.state}>
        {base === undefined
          ? fleetsTexts.firstOne
          : isChanged
            ? fleetsTexts.changedAgainst(added, removed, base.number)
            : fleetsTexts.unchanged(base.number)}
      </p>
    </section>
  );
}
