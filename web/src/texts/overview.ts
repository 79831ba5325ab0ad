export const overviewTexts = {
  title: 'Overview',
  status: { healthy: 'Healthy', unhealthy: 'Unhealthy', offline: 'Offline', stopped: 'Stopped' },
};
