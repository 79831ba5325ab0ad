export const paletteTexts = {
  goToPlaceholder: 'Agent, cause, fleet, token, site, screen or action',
  actions: 'Actions',
  lastVisited: 'Last visited',
  createToken: 'Create a token…',
  createFleet: 'Create a fleet…',
  invite: 'Invite somebody…',
  createChannel: 'Create a channel…',
  /** What the palette also finds them by. */
  invited: ['colleague', 'member', 'user', 'person'],
  channels: ['alert', 'webhook', 'Slack', 'notification'],
  agentsOfFleet: (count: number, fleet: string) =>
    `${count === 1 ? 'The agent' : `All ${count.toLocaleString('en')} agents`} of ${fleet}`,
  causesOfFleet: (fleet: string) => `Causes of ${fleet}`,
  editFleet: (name: string) => `Write a version of ${name}…`,
  dismissCause: (name: string) => `Dismiss “${name}”…`,
  muteCause: (name: string) => `Mute “${name}”…`,
  rotateToken: (name: string) => `Rotate ${name}…`,
  paletteKeys: { '↑ ↓': 'choose', Enter: 'open', Esc: 'close' },
  nothingFound: 'Nothing found',
};
