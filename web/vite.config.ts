import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { componentStyles } from './component-styles.ts';

export default defineConfig({
  // Relative to the <base> of the page, so that the dashboard also works behind a proxy that adds a path.
  base: './',
  plugins: [react(), componentStyles()],
  build: {
    target: 'es2022',
    assetsDir: 'assets',
    // Everything is a file of its own: the Content-Security-Policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The build says what is too large in a test of its own, by the compressed size.
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      // The contract is data: code that uses one function of it does not carry all of its schemas.
      // Small modules that most screens share are one file: compressed apart, they take a thousand bytes more.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'common-parts',
              test: /[\\/]@mantine[\\/]core[\\/]esm[\\/](?:core|components[\\/](?:Button|CloseButton|Loader|Text|Transition|UnstyledButton))[\\/]/,
              minShareCount: 6,
            },
          ],
        },
      },
      treeshake: { moduleSideEffects: [{ test: /[\\/]contract[\\/]src[\\/]/, sideEffects: false }] },
    },
  },
});
