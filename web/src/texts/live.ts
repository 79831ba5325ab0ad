export const liveTexts = {
  offline: 'This browser is offline. What you see may be old; it is updated as soon as the network is back.',
  cutSince: 'No connection since',
  cut: 'What you see is from then. This page catches up as soon as it is connected again.',
  refused: 'The service gives no live updates now. Reload the page to see what is new.',
  unreadSince: 'Some of this could not be read since',
  unread: 'What you see of it is from then. Reload the page to try again.',
  isLive: 'Live',
  isNotLive: 'Not live since',
  isUnread: 'Not read since',
  newRows: (count: number) => (count === 1 ? '1 new' : `${count.toLocaleString('en')} new`),
  showNewRows: 'Show them',
};
