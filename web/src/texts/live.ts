export const liveTexts = {
  offline: 'This browser is offline. What you see may be old; it is updated as soon as the network is back.',
  cut: 'The connection to the service broke. What you see may be old; Muster is connecting again and then catches up.',
  refused: 'The service gives no live updates now. Reload the page to see what is new.',
  isLive: 'Live',
  isNotLive: 'Not live',
  newRows: (count: number) => (count === 1 ? '1 new' : `${count.toLocaleString('en')} new`),
  showNewRows: 'Show them',
};
