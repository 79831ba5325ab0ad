import { Text, Title } from '@mantine/core';
import type { CoreInstance } from '@muster/client';
import type { ReactNode } from 'react';
import { Command } from '../../parts/command.tsx';
import { rootURL } from '../../service/root-url.ts';
import { sitesTexts } from '../../texts/sites.ts';
import { stateOf } from '../site-state.ts';
import { installCommand } from './install-command.ts';
import classes from './site-page.module.css';

/** What to do about a site that does not deliver, and what it does until then. Nothing of one that works. */
export function SiteAdvice({ site }: { readonly site: CoreInstance }) {
  switch (stateOf(site)) {
    case 'running':
      return null;
    case 'waiting':
      return (
        <Steps>
          <Start name={site.name} />
        </Steps>
      );
    case 'lagging':
      return (
        <>
          <Steps>
            <Step text={sitesTexts.askLog} command={sitesTexts.askLogCommand} />
          </Steps>
          <Meanwhile text={sitesTexts.meanwhileLagging} />
        </>
      );
    case 'unreachable':
      return (
        <>
          <Steps>
            <Step text={sitesTexts.askHost} command={sitesTexts.askHostCommand} />
            <Step
              text={sitesTexts.askService}
              command={`curl -sS ${new URL('healthz', rootURL).href}`}
              note={sitesTexts.oneConnection}
            />
          </Steps>
          <Meanwhile text={sitesTexts.meanwhileUnreachable} />
        </>
      );
  }
}

function Start({ name }: { readonly name: string }) {
  const command = installCommand(name, rootURL);
  if (command === undefined) return <li>{sitesTexts.unwritableName}</li>;
  return <Step text={sitesTexts.startIt} command={command} note={sitesTexts.joinToken} />;
}

function Steps({ children }: { readonly children: ReactNode }) {
  return (
    <section>
      <Title order={2} mb="xs">
        {sitesTexts.whatToDo}
      </Title>
      <ol className={classes.steps}>{children}</ol>
    </section>
  );
}

interface StepProps {
  readonly text: string;
  readonly command: string;
  readonly note?: string;
}

function Step({ text, command, note }: StepProps) {
  return (
    <li>
      <span className={classes.step}>{text}</span>
      <Command command={command} isNarrow />
      {note !== undefined && (
        <Text size="xs" c="dimmed" mt={4}>
          {note}
        </Text>
      )}
    </li>
  );
}

function Meanwhile({ text }: { readonly text: string }) {
  return (
    <section>
      <Title order={2} mb="xs">
        {sitesTexts.meanwhile}
      </Title>
      <Text size="sm">{text}</Text>
    </section>
  );
}
