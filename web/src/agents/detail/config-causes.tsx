import { Text, Title } from '@mantine/core';
import type { AgentConfigChange } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { HostileText } from '../../parts/hostile-text.tsx';
import { agentsTexts } from '../../texts/agents.ts';
import classes from './agent-page.module.css';

interface ConfigCausesProps {
  readonly projectID: string;
  readonly change: AgentConfigChange;
}

/** The causes of errors that came and went with a configuration. */
export function ConfigCauses({ projectID, change }: ConfigCausesProps) {
  const { came, cameCount, went, wentCount, current } = change;
  return (
    <div className={classes.causes}>
      <Causes
        projectID={projectID}
        title={agentsTexts.came}
        causes={came}
        count={cameCount}
        none={agentsTexts.noneCame}
      />
      <Causes
        projectID={projectID}
        title={agentsTexts.went}
        causes={went}
        count={wentCount}
        none={agentsTexts.noneWent}
        note={current && wentCount > 0 ? agentsTexts.mayComeBack : undefined}
      />
    </div>
  );
}

interface CausesProps {
  readonly projectID: string;
  readonly title: string;
  readonly causes: AgentConfigChange['came'];
  readonly count: number;
  readonly none: string;
  readonly note?: string | undefined;
}

function Causes({ projectID, title, causes, count, none, note }: CausesProps) {
  return (
    <div>
      <Title order={3}>{title}</Title>
      {causes.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <ul>
          {causes.map(({ groupID, pattern, errorsCount }) => (
            <li key={groupID}>
              <Link
                to="/projects/$projectID/causes/$causeID"
                params={{ projectID, causeID: groupID }}
                preload={false}
              >
                <HostileText text={pattern} isLine />
              </Link>
              <Text size="xs" c="dimmed" component="span">
                {agentsTexts.errorsOf(errorsCount)}
              </Text>
            </li>
          ))}
          {count > causes.length && (
            <li>
              <Text size="sm" c="dimmed">
                {agentsTexts.moreCauses(count - causes.length)}
              </Text>
            </li>
          )}
        </ul>
      )}
      {note !== undefined && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </div>
  );
}
