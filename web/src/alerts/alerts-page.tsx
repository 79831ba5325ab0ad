import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../parts/page.tsx';
import { Sections } from '../parts/sections.tsx';
import { alertsTexts } from '../texts/alerts.ts';
import { alertSections, readAlertsSearch } from './alerts-search.ts';
import { ChannelsSection } from './channels/channels-section.tsx';
import { MessagesSection } from './messages/messages-section.tsx';
import { RulesSection } from './rules/rules-section.tsx';

const route = getRouteApi('/projects/$projectID/alerts');

/** Who is told of what. */
export function AlertsPage() {
  const { projectID } = route.useParams();
  const search = route.useSearch({ select: readAlertsSearch });
  const { section = 'rules' } = search;
  return (
    <Page title={alertsTexts.title} description={alertsTexts.description}>
      <Sections
        label={alertsTexts.section}
        sections={alertSections.map((id) => ({ id, text: alertsTexts.sections[id] }))}
        current={section}
      />
      {section === 'rules' && <RulesSection projectID={projectID} />}
      {section === 'channels' && <ChannelsSection projectID={projectID} />}
      {section === 'messages' && <MessagesSection projectID={projectID} search={search} />}
    </Page>
  );
}
