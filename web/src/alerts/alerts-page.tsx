import { SegmentedControl } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Page } from '../parts/page.tsx';
import { alertsTexts } from '../texts/alerts.ts';
import { alertSections } from './alerts-search.ts';
import { ChannelsSection } from './channels/channels-section.tsx';
import { MessagesSection } from './messages/messages-section.tsx';
import { RulesSection } from './rules/rules-section.tsx';

const route = getRouteApi('/projects/$projectID/alerts');

/** Who is told of what. */
export function AlertsPage() {
  const { projectID } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/projects/$projectID/alerts' });
  const { section = 'rules' } = search;
  return (
    <Page title={alertsTexts.title} description={alertsTexts.description}>
      <SegmentedControl
        mb="md"
        aria-label={alertsTexts.section}
        value={section}
        onChange={(value) => void navigate({ search: value === 'rules' ? {} : { section: value } })}
        data={alertSections.map((value) => ({ value, label: alertsTexts.sections[value] }))}
      />
      {section === 'rules' && <RulesSection projectID={projectID} />}
      {section === 'channels' && <ChannelsSection projectID={projectID} />}
      {section === 'messages' && <MessagesSection projectID={projectID} search={search} />}
    </Page>
  );
}
