import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import { partsTexts } from '../texts/parts.ts';

/** The blue of the sign-in page and the reference. */
const accent: MantineColorsTuple = [
  '#eef4ff', '#dce7fd', '#b9d0fb', '#84b4ff', '#5f98f5', '#3f7de6', '#2b67d4', '#1d54c0', '#17449c', '#123678',
]; // biome-ignore format: a row of shades

const gray: MantineColorsTuple = [
  '#f6f8fa', '#eef1f5', '#e4e9ef', '#d3dae3', '#c3ccd7', '#7a8797', '#55606f', '#3d4754', '#2a323d', '#1b2330',
]; // biome-ignore format: a row of shades

const dark: MantineColorsTuple = [
  '#e3e8ef', '#c5cdd8', '#a2adbb', '#7b8a9c', '#2f3a48', '#253040', '#18202a', '#10151c', '#0c1016', '#080b10',
]; // biome-ignore format: a row of shades

/** The whole look: colours, type, sizes. Screens use its names and write no values of their own. */
export const theme = createTheme({
  colors: { accent, gray, dark },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  black: '#1b2330',
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace:
    "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.45' },
    },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': partsTexts.close } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': partsTexts.close } } },
    // A dialog is no page: its header is not the banner of one.
    ModalHeader: { defaultProps: { role: 'presentation' } },
  },
});

/** Colours with a meaning. Each has a contrast of at least 4.5 on the background of its scheme. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: { '--muster-header': '3.25rem' },
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#55606f',
    '--mantine-color-placeholder': '#66717f',
    '--muster-surface': '#f6f8fa',
    '--muster-line': '#d3dae3',
    '--muster-good': '#17693a',
    '--muster-bad': '#b3201a',
    '--muster-bad-area': '#f6e6e5',
    '--muster-bad-surface': '#fdf4f3',
    '--muster-bad-line': '#efc9c6',
    '--muster-warning': '#8a5300',
    '--muster-quiet': '#55606f',
    '--muster-mark': '#7a3fb8',
    '--muster-link': '#1d54c0',
  },
  dark: {
    '--mantine-color-body': '#10151c',
    '--mantine-color-dimmed': '#a2adbb',
    '--mantine-color-placeholder': '#8f9bab',
    '--muster-surface': '#18202a',
    '--muster-line': '#2f3a48',
    '--muster-good': '#6fd39a',
    '--muster-bad': '#ff9c96',
    '--muster-bad-area': '#3a2226',
    '--muster-bad-surface': '#1f1619',
    '--muster-bad-line': '#5a3234',
    '--muster-warning': '#efb75c',
    '--muster-quiet': '#a2adbb',
    '--muster-mark': '#c9a2f7',
    '--muster-link': '#84b4ff',
  },
});
