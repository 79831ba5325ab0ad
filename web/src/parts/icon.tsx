/** Shapes in a box of 24 by 24, drawn with a line. */
const shapes = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  causes: 'M12 3.5 21.5 20h-19zM12 10v4.5M12 17.2v.1',
  agents: 'M4 5h16v5H4zM4 14h16v5H4zM7.5 7.5v.01M7.5 16.5v.01',
  fleets: 'm12 3.500 9 5-9 5-9-5zM3.500 13l8.500 4.700 8.500-4.700M3.500 17l8.500 4.700 8.500-4.700',
  sites:
    'M12 21.500s-7-6.300-7-11.800a7 7 0 0 1 14 0c0 5.500-7 11.800-7 11.800zM12 12.200a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  tokens: 'M15 9a4 4 0 1 0-3.6 4L13 14.5h2V17h2v2h3v-3l-5.2-5.2A4 4 0 0 0 15 9zM10 8v.01',
  members:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-3.5 3-6 6.500-6s6.500 2.500 6.500 6M16 4.500a3.500 3.500 0 0 1 0 6.200M18 14.500c2.200.8 3.500 2.900 3.500 5.500',
  audit: 'M6 3h9l4 4v14H6zM15 3v4h4M9 12h7M9 16h7',
  alerts: 'M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15zM10 21h4',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.500v5M9 14.500v5',
  search: 'M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.500 15.500 20 20',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'm5 12.500 4.500 4.500L19 7.500',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.500 20.500c0-4 3.300-6.500 7.500-6.500s7.500 2.500 7.500 6.500',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400',
  down: 'm6 9 6 6 6-6',
  back: 'm15 6-6 6 6 6',
  next: 'm9 6 6 6-6 6',
  more: 'M5 12v.01M12 12v.01M19 12v.01',
  muted: 'M6 16V11a6 6 0 0 1 9.500-4.900M18 11v5l1.500 2H8M10 21h4M4 4l16 16',
} as const;

export type IconName = keyof typeof shapes;

/** A picture beside a text that says the same: screen readers leave it out. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={shapes[name]} />
    </svg>
  );
}
