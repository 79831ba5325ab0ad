import { Text, Title } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import { type Change, fillInText, portQuestionOf, realValuesOf } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Command } from '../../parts/command.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { TextWithCode } from '../../parts/text-with-code.tsx';
import { causesTexts } from '../../texts/causes.ts';
import { causeExamplesQuery } from '../cause-queries.ts';
import classes from './cause-page.module.css';
import { PutBackDialog } from './put-back-button.tsx';
import type { PutBack } from './put-back-of.ts';
import { PutBackStep } from './put-back-step.tsx';
import { usePutBack } from './use-put-back.ts';

interface WhatToDoProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
  /** Undefined: nothing is known to have changed, or its agents run another configuration now. */
  readonly change: Change | undefined;
  /** The change with which it began, or came back. */
  readonly began: Change | undefined;
}

/** The next steps, with the address, the file and the names of the error in them, and what is known of errors like it. */
export function WhatToDo({ projectID, cause, change, began }: WhatToDoProps) {
  const { explanation } = cause;
  const { data: errors = [] } = useQuery(causeExamplesQuery(projectID, cause.id));
  // The first error may be gone with the configuration.
  const example = (change === began ? undefined : errors[0]?.error) ?? cause.example;
  const values = realValuesOf(example);
  const question = portQuestionOf(example, change);
  const old = question?.before?.port;
  const steps: ReactNode[] = [];
  if (question !== undefined)
    steps.push(
      <>
        {causesTexts.askPort(question.port)} <AgentName projectID={projectID} change={change} />
        <Command command={question.command} isNarrow />
        {question.before !== undefined && change !== undefined && (
          <>
            {causesTexts.askBefore(change.name)}
            <Command command={question.before.command} isNarrow />
          </>
        )}
      </>,
    );
  const putBack = usePutBack(projectID, cause);
  const [asked, setAsked] = useState<PutBack>();
  if (putBack !== undefined)
    steps.push(
      <PutBackStep
        projectID={projectID}
        putBack={putBack}
        port={old}
        change={change?.name}
        onAsk={setAsked}
      />,
    );
  else if (change !== undefined)
    steps.push(
      <>
        {old === undefined ? causesTexts.putBackAlone(change.name) : causesTexts.putBack(change.name)}
        <p className="quiet">{causesTexts.closesItself}</p>
      </>,
    );
  const actions = (explanation?.actions ?? []).map((action) => (
    <TextWithCode key={action} text={fillInText(action, values)} />
  ));
  // With the change that brought it, these are what else it could be.
  const isExplained = change !== undefined || putBack !== undefined;
  if (!isExplained) steps.push(...actions);
  return (
    <section className={classes.todo}>
      <Title order={2}>{causesTexts.whatToDo}</Title>
      <div className={classes.card}>
        {explanation?.suggestion !== null && explanation?.suggestion !== undefined && (
          <p>
            {causesTexts.didYouMean} <code>{explanation.suggestion}</code>?
          </p>
        )}
        {steps.length > 0 && (
          <ol className={classes.steps}>
            {steps.map((step, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity, and are never moved
              <li key={place}>{step}</li>
            ))}
          </ol>
        )}
        {explanation === null ? (
          <Text size="sm" c="dimmed">
            {causesTexts.notKnown}
          </Text>
        ) : (
          <details className={classes.why}>
            <summary>
              {explanation.title}: {causesTexts.otherReasons}
            </summary>
            <p>
              <TextWithCode text={explanation.meaning} />
            </p>
            <ul>
              {explanation.causes.map((one) => (
                <li key={one}>
                  <TextWithCode text={one} />
                </li>
              ))}
            </ul>
            {isExplained && (
              <>
                <p>{causesTexts.elseToDo}</p>
                <ol>
                  {actions.map((action) => (
                    <li key={action.key}>{action}</li>
                  ))}
                </ol>
              </>
            )}
          </details>
        )}
        {explanation !== null && (
          <p>
            <a href={explanation.link} target="_blank" rel="noreferrer">
              {causesTexts.documentation}
            </a>
          </p>
        )}
      </div>
      <PutBackDialog projectID={projectID} asked={asked} onClose={() => setAsked(undefined)} />
    </section>
  );
}

interface AgentNameProps {
  readonly projectID: string;
  readonly change: Change | undefined;
}

function AgentName({ projectID, change }: AgentNameProps) {
  if (change === undefined) return causesTexts.theAgent;
  return (
    <>
      <Link
        to="/projects/$projectID/agents/$agentID"
        params={{ projectID, agentID: change.agentID }}
        preload={false}
      >
        <NameText text={change.agentName} />
      </Link>
      :
    </>
  );
}
