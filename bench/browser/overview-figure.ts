/** CSS: a figure of the overview that has been read. Before that, its place holds the grey bar of a loading part. */
export const overviewFigure = 'main dd.number:not(:has(.mantine-Skeleton-root))';
