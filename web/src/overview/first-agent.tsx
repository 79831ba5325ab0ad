import { Button, Loader, Text, Title } from '@mantine/core';
import { createToken } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Command } from '../parts/command.tsx';
import { explainError } from '../parts/explain-error.ts';
import { client } from '../service/client.ts';
import { rootURL } from '../service/root-url.ts';
import { useMay } from '../session/use-may.ts';
import { firstAgentTexts } from '../texts/first-agent.ts';
import { type CreatedToken, TokenSnippetTabs } from '../tokens/token-snippet-tabs.tsx';
import classes from './first-agent.module.css';

/** What to do in a project without agents. It gives way to the overview by itself. */
export function FirstAgent({ projectID }: { readonly projectID: string }) {
  const may = useMay(projectID);
  const mayReport = (['create:token', 'create:agent', 'create:agent_error'] as const).every(may);
  return (
    <>
      <Title order={1} tabIndex={-1}>
        {firstAgentTexts.title}
      </Title>
      <Text size="sm" c="dimmed">
        {firstAgentTexts.text}
      </Text>
      <div className={classes.columns}>
        <div className={classes.column}>
          {mayReport ? (
            <Commands projectID={projectID} />
          ) : (
            <Text size="sm">{firstAgentTexts.askOthers}</Text>
          )}
          <div className={classes.waiting} role="status">
            <Loader size={18} aria-hidden="true" />
            <div>
              <strong>{firstAgentTexts.waiting}</strong>
              <p>
                {firstAgentTexts.reachable} <code>{rootURL.origin}</code>
              </p>
            </div>
          </div>
          <section>
            <Title order={2}>{firstAgentTexts.follows}</Title>
            <ol className={classes.follows}>
              {firstAgentTexts.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </section>
        </div>
        <div className={classes.column}>
          <section className={classes.card}>
            <Title order={2}>{firstAgentTexts.looking}</Title>
            <p>{firstAgentTexts.demo}</p>
            <Command command={firstAgentTexts.demoCommand} />
          </section>
          <Also projectID={projectID} />
        </div>
      </div>
    </>
  );
}

const hourMilliseconds = 3_600_000;
const tokenHours = 24;

/** The ways to report, with a token that works. It is made when somebody asks for it, and its value is here and nowhere else. */
function Commands({ projectID }: { readonly projectID: string }) {
  const [created, setCreated] = useState<CreatedToken>();
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const create = async () => {
    setIsBusy(true);
    setError(undefined);
    try {
      const body = {
        name: firstAgentTexts.tokenName,
        permissions: ['create:agent', 'create:agent_error'],
        expiresAt: new Date(Date.now() + tokenHours * hourMilliseconds).toISOString(),
      } as const;
      setCreated(await createToken(client, { projectID, body }));
    } catch (reason) {
      setError(reason);
    } finally {
      setIsBusy(false);
    }
  };
  if (created !== undefined)
    return (
      <section aria-label={firstAgentTexts.commands}>
        <TokenSnippetTabs token={created} />
        <Text size="xs" c="dimmed" mt="xs" className={classes.note ?? ''}>
          {firstAgentTexts.isReal}{' '}
          <Link to="/projects/$projectID/tokens" params={{ projectID }}>
            {firstAgentTexts.createAnother}
          </Link>
          .
        </Text>
      </section>
    );
  return (
    <section className={classes.card} aria-label={firstAgentTexts.commands}>
      <p>{firstAgentTexts.needsToken}</p>
      <Button loading={isBusy} onClick={() => void create()}>
        {firstAgentTexts.show}
      </Button>
      {error !== undefined && (
        <Text c="var(--muster-bad)" size="sm" role="alert">
          {explainError(error).text}
        </Text>
      )}
    </section>
  );
}

const others = [
  { to: '/projects/$projectID/members', needs: 'create:member', text: firstAgentTexts.invite },
  { to: '/projects/$projectID/alerts', needs: 'read:webhook', text: firstAgentTexts.alerts },
  { to: '/projects/$projectID/sites', needs: 'read:core_instance', text: firstAgentTexts.site },
] as const;

function Also({ projectID }: { readonly projectID: string }) {
  const may = useMay(projectID);
  const shown = others.filter(({ needs }) => may(needs));
  if (shown.length === 0) return null;
  return (
    <section>
      <Title order={2}>{firstAgentTexts.also}</Title>
      <ul className={classes.also}>
        {shown.map(({ to, text }) => (
          <li key={to}>
            <Link to={to} params={{ projectID }}>
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
