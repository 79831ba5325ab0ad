export const sessionTexts = {
  ended: 'Your session has ended',
  endedText: 'Sign in again, and you return to this screen. What you had not saved is lost.',
  signInAgain: 'Sign in again',
  signedInAs: (name: string) => `Signed in as ${name}`,
  signOut: 'Sign out',
};
