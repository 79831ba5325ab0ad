export const liveTexts = {
  offline: 'This browser is offline. What you see may be old; it is updated as soon as the network is back.',
  cutSince: 'No connection since',
  cut: 'What you see is from then. This page catches up as soon as it is connected again.',
  refused: 'The service gives no live updates now. Reload the page to see what is new.',
  isLive: 'Live',
  isNotLive: 'Not live since',
  newRows: (count: number) => (count === 1 ? '1 new' : `${count.toLocaleString('en')} new`),
  showNewRows: 'Show them',
};
