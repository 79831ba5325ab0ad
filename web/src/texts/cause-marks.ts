/** Apart from the other texts of causes, because a calm overview needs no others. */
export const causeMarksTexts = {
  isNew: 'New',
  hasRegressed: 'Came back',
  isMuted: 'Muted',
  isDismissed: 'Dismissed',
};
