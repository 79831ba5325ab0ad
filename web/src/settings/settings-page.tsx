import { useParams, useSearch } from '@tanstack/react-router';
import { Page } from '../parts/page.tsx';
import { Sections } from '../parts/sections.tsx';
import { useIsAdministrator } from '../session/use-is-administrator.ts';
import { settingsTexts } from '../texts/settings.ts';
import { AccessTokensSection } from './access-tokens/access-tokens-section.tsx';
import { AppearanceSection } from './appearance-section.tsx';
import { BackupsSection } from './backups-section.tsx';
import { ProjectSection } from './project/project-section.tsx';
import { SessionsSection } from './sessions/sessions-section.tsx';
import type { SettingsSection } from './settings-search.ts';

/** The settings of a project and of the user; without a project, those of the user. */
export function SettingsPage() {
  const { projectID } = useParams({ strict: false });
  const { section } = useSearch({ strict: false });
  const isAdministrator = useIsAdministrator();
  const sections: readonly SettingsSection[] = [
    ...(projectID === undefined ? [] : (['project'] as const)),
    ...(['access_tokens', 'sessions', 'appearance'] as const),
    ...(isAdministrator ? (['backups'] as const) : []),
  ];
  const current = sections.find((one) => one === section) ?? sections[0] ?? 'appearance';
  return (
    <Page title={projectID === undefined ? settingsTexts.accountTitle : settingsTexts.title}>
      <Sections
        label={settingsTexts.sectionsLabel}
        current={current}
        sections={sections.map((id) => ({ id, text: settingsTexts.sections[id] }))}
      />
      <Section section={current} projectID={projectID} />
    </Page>
  );
}

interface SectionProps {
  readonly section: SettingsSection;
  readonly projectID: string | undefined;
}

function Section({ section, projectID }: SectionProps) {
  if (section === 'access_tokens') return <AccessTokensSection />;
  if (section === 'sessions') return <SessionsSection />;
  if (section === 'appearance') return <AppearanceSection />;
  if (section === 'backups') return <BackupsSection />;
  return projectID === undefined ? null : <ProjectSection key={projectID} projectID={projectID} />;
}
