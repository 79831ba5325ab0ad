import { Text, Title } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import { TextWithCode } from '../../parts/text-with-code.tsx';
import { causesTexts } from '../../texts/causes.ts';
import classes from './cause-page.module.css';

/** What the catalogue of known errors says of a cause. */
export function CauseExplanation({ cause: { explanation } }: { readonly cause: AgentErrorGroup }) {
  if (explanation === null)
    return (
      <Text size="sm" c="dimmed">
        {causesTexts.notKnown}
      </Text>
    );
  const { title, meaning, causes, actions, link, suggestion } = explanation;
  return (
    <section className={classes.card}>
      <Title order={2}>{title}</Title>
      <p>
        <TextWithCode text={meaning} />
      </p>
      {suggestion !== null && (
        <p>
          {causesTexts.didYouMean} <code>{suggestion}</code>?
        </p>
      )}
      <Title order={3}>{causesTexts.whatToDo}</Title>
      <List items={actions} />
      <Title order={3}>{causesTexts.why}</Title>
      <List items={causes} />
      <p>
        <a href={link} target="_blank" rel="noreferrer">
          {causesTexts.documentation}
        </a>
      </p>
    </section>
  );
}

function List({ items }: { readonly items: readonly string[] }) {
  return (
    <ul>
      {items.map((item) => (
        <li key={item}>
          <TextWithCode text={item} />
        </li>
      ))}
    </ul>
  );
}
