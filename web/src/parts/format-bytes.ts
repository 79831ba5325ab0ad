const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Such as `1.5 GB`: in decimal units, because limits are set in them. */
export function formatBytes(bytes: number): string {
  const size = bytes === 0 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const value = bytes / 1000 ** size;
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 && size > 0 ? 1 : 0 })} ${units[size]}`;
}
