export const keysTexts = {
  title: 'Keys of this screen',
  help: 'List the keys',
  palette: 'Go to a screen or a project',
  search: 'Search in the list',
  next: 'Next row',
  previous: 'Previous row',
  select: 'Select the row',
  open: 'Open the row',
  dismiss: 'Dismiss what is selected',
  delete: 'Delete what is selected',
};
