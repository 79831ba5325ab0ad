import { NativeSelect, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type Fleet, updateFleetSecrets, updateFleetVariables } from '@muster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { DespiteFreeze } from '../../rollouts/despite-freeze.tsx';
import { canaryQuery } from '../../rollouts/rollout-queries.ts';
import { freezeQuery } from '../../rollouts/upcoming-queries.ts';
import { client } from '../../service/client.ts';
import { useMay } from '../../session/use-may.ts';
import { fleetValuesTexts } from '../../texts/fleet-values.ts';
import { fleetsKey } from '../fleets-query.ts';
import {
  type FleetValue,
  type Scope,
  type Subject,
  scopeOf,
  subjectOf,
  variableOf,
  written,
} from './fleet-value.ts';
import { fleetAgentsCalledQuery, fleetSecretsQuery, isUsedQuery } from './fleet-value-queries.ts';

interface SetValueDialogProps {
  readonly fleet: Fleet;
  /** The value to change, or what a new one is. */
  readonly what: FleetValue | Scope;
  readonly onSet: () => void;
  readonly onClose: () => void;
}

const typingMilliseconds = 300;
const namePattern = '[A-Za-z_][A-Za-z0-9_.\\-]{0,63}';
/** It is no password of the person, so no browser offers to keep it. */
const unkept = { autoComplete: 'off', spellCheck: false, 'data-1p-ignore': true } as const;

/** Sets a variable or a secret, and says who gets it at once. Make a new one for each value. */
export function SetValueDialog({ fleet, what, onSet, onClose }: SetValueDialogProps) {
  const { id: fleetID, projectID } = fleet;
  const scope = typeof what === 'string' ? what : scopeOf(what);
  const before = typeof what === 'string' ? undefined : what;
  const variable = before && variableOf(before);
  const queries = useQueryClient();
  const mayListAgents = useMay(projectID)('read:agent');
  const [name, setName] = useState(before?.name ?? '');
  const [value, setValue] = useState(variable?.value ?? '');
  const [subject, setSubject] = useState<Subject>(before === undefined ? 'fleet' : subjectOf(before));
  // A tag or an agent.
  const [typed, setTyped] = useState(variable?.tag ?? variable?.agentName ?? variable?.agentID ?? '');
  const [despiteFreeze, setDespiteFreeze] = useState(false);
  const [settledName] = useDebouncedValue(name, typingMilliseconds);
  const [settledTyped] = useDebouncedValue(typed.trim(), typingMilliseconds);

  const use = useUse(fleet, scope, settledName);
  const { freeze } = useQuery(freezeQuery(projectID)).data ?? {};
  const hasTag = useQuery({
    ...canaryQuery(projectID, fleetID, settledTyped),
    enabled: mayListAgents && subject === 'tag' && settledTyped !== '',
  });
  const found = useQuery({
    ...fleetAgentsCalledQuery(projectID, fleetID, settledTyped),
    enabled: subject === 'agent' && before === undefined && settledTyped !== '',
  });
  const called = found.data?.filter(({ id, name: one }) => id === settledTyped || one === settledTyped);
  const agentID = variable?.agentID ?? (called?.length === 1 ? called[0]?.id : undefined);

  const agentsCount = fleet.agentsCount.active + fleet.agentsCount.inactive;
  const { reach } = fleetValuesTexts;
  const reachText =
    use === undefined
      ? '\u00a0'
      : !use
        ? reach.unused
        : agentsCount === 0
          ? reach.nobody
          : subject === 'fleet'
            ? reach.fleet(agentsCount)
            : reach[subject];
  const isForAll = use === true && agentsCount > 0 && subject === 'fleet';
  const isFrozen = use === true && freeze != null;
  return (
    <ConfirmDialog
      isOpen
      title={
        before === undefined
          ? fleetValuesTexts.titles[scope]
          : fleetValuesTexts.changeTitle(written(scope, before.name))
      }
      confirm={isForAll ? fleetValuesTexts.confirmFor(agentsCount) : fleetValuesTexts.confirm}
      isDisabled={
        value === '' ||
        use === undefined ||
        name !== settledName ||
        (isFrozen && !despiteFreeze) ||
        (subject === 'tag' && typed.trim() === '') ||
        (subject === 'agent' && (agentID === undefined || typed.trim() !== settledTyped))
      }
      onConfirm={async () => {
        const body = { set: [{ name, value }], ...(isFrozen && { despiteFreeze }) };
        const { changedCount } =
          scope === 'secrets'
            ? await updateFleetSecrets(client, { fleetID, body })
            : await updateFleetVariables(client, {
                fleetID,
                body: {
                  ...body,
                  ...(subject === 'tag' && { tag: typed.trim() }),
                  ...(subject === 'agent' && { agentID }),
                },
              });
        onSet();
        showDone(changedCount === 0 ? fleetValuesTexts.same : fleetValuesTexts.set(written(scope, name)));
        await queries.invalidateQueries({ queryKey: fleetsKey(projectID) });
      }}
      onClose={onClose}
    >
      <Stack gap="md">
        {before === undefined && (
          <TextInput
            label={fleetValuesTexts.name}
            description={
              name === '' ? fleetValuesTexts.nameFormat : fleetValuesTexts.nameText(written(scope, name))
            }
            value={name}
            pattern={namePattern}
            maxLength={64}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            required
            data-autofocus
            {...unkept}
          />
        )}
        {scope === 'secrets' ? (
          <PasswordInput
            label={fleetValuesTexts.value}
            description={fleetValuesTexts.secretText}
            value={value}
            minLength={6}
            maxLength={4_096}
            onChange={({ currentTarget }) => setValue(currentTarget.value)}
            required
            data-autofocus={before !== undefined || undefined}
            {...unkept}
          />
        ) : (
          <TextInput
            label={fleetValuesTexts.value}
            description={fleetValuesTexts.valueText}
            value={value}
            maxLength={1_024}
            onChange={({ currentTarget }) => setValue(currentTarget.value)}
            required
            data-autofocus={before !== undefined || undefined}
            {...unkept}
          />
        )}
        {scope === 'vars' && (
          <NativeSelect
            label={fleetValuesTexts.for}
            value={subject}
            disabled={before !== undefined}
            onChange={({ currentTarget }) => setSubject(readSubject(currentTarget.value))}
            data={subjects
              .filter((one) => one !== 'agent' || mayListAgents || subject === 'agent')
              .map((one) => ({ value: one, label: fleetValuesTexts.subjects[one] }))}
          />
        )}
        {subject !== 'fleet' && (
          <TextInput
            label={fleetValuesTexts.labels[subject]}
            description={subject === 'agent' && before === undefined && fleetValuesTexts.agentText}
            value={typed}
            maxLength={256}
            disabled={before !== undefined}
            list="agents-called"
            error={
              subject === 'agent' && called !== undefined && called.length !== 1
                ? fleetValuesTexts[called.length === 0 ? 'agentUnknown' : 'agentsAlike']
                : undefined
            }
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            required
            {...unkept}
          />
        )}
        <datalist id="agents-called">
          {found.data?.map(({ id, name: one }) => (
            <option key={id} value={one} />
          ))}
        </datalist>
      </Stack>
      <Text size="sm" fw={600} mt="md" role="status">
        {subject === 'tag' && hasTag.data === false ? fleetValuesTexts.tagUnknown(settledTyped) : reachText}
      </Text>
      {isForAll && (
        <Text size="sm" c="dimmed" mt={4}>
          {fleetValuesTexts.tryFirst[scope]}
        </Text>
      )}
      {isFrozen && <DespiteFreeze freeze={freeze} isChecked={despiteFreeze} onChange={setDespiteFreeze} />}
    </ConfirmDialog>
  );
}

const subjects = ['fleet', 'tag', 'agent'] as const;

function readSubject(text: string): Subject {
  return subjects.find((one) => one === text) ?? 'fleet';
}

/** Whether what agents of the fleet get uses a name. Undefined: not known yet. */
function useUse(
  { id: fleetID, projectID }: Pick<Fleet, 'id' | 'projectID'>,
  scope: Scope,
  name: string,
): boolean | undefined {
  const isName = new RegExp(`^${namePattern}$`).test(name);
  const variable = useQuery({
    ...isUsedQuery(projectID, fleetID, name),
    enabled: scope === 'vars' && isName,
  });
  const secrets = useQuery(fleetSecretsQuery(projectID, fleetID));
  if (!isName) return undefined;
  if (scope === 'vars') return variable.data;
  return secrets.data?.some((secret) => secret.name === name && secret.isUsed);
}
