import { Anchor, Text, Title } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import { HostileText } from '../../parts/hostile-text.tsx';
import { Moment } from '../../parts/moment.tsx';
import { causesTexts } from '../../texts/causes.ts';
import classes from '../detail/cause-page.module.css';

/** What people know of a cause. */
export function CauseNote({
  cause: { assignee, note, link, notedAt, notedBy },
}: {
  readonly cause: AgentErrorGroup;
}) {
  if (assignee === null && note === null && link === null) return null;
  return (
    <section className={classes.texts}>
      <Title order={2}>{causesTexts.noteTitle}</Title>
      {assignee !== null && (
        <Text size="sm">
          {causesTexts.looksAfterIt} <bdi>{assignee.name ?? causesTexts.removedUser}</bdi>
        </Text>
      )}
      {note !== null && <HostileText text={note} />}
      {link !== null && (
        <Anchor href={link} target="_blank" rel="noreferrer noopener" size="sm" display="block">
          <HostileText text={link} isLine />
        </Anchor>
      )}
      {notedAt !== null && (
        <Text size="xs" c="dimmed">
          {causesTexts.changedBy} <bdi>{notedBy?.name ?? causesTexts.removedUser}</bdi>,{' '}
          <Moment at={notedAt} />
        </Text>
      )}
    </section>
  );
}
