/** Of the differences between configurations, which the overview shows too. */
export const differenceTexts = {
  equalLines: (value: number) => `${value.toLocaleString('en')} equal ${value === 1 ? 'line' : 'lines'}`,
};
