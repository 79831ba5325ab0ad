import type { Plugin } from 'vite';

/** Where the component library keeps the class names of a component, or of what several of them share. */
export const classNames = /\/@mantine\/core\/esm\/(?:components|utils)\/.*\/(\w+)\.module\.mjs$/;

/**
 * Lets every component of the library bring its own styles. The library offers the styles of all components in one file, of which a screen needs a tenth.
 * A component imports those that it is made of first, so its styles come after theirs, as they must.
 */
export function componentStyles(): Plugin {
  return {
    name: 'muster-component-styles',
    transform(code, id) {
      const [, component] = classNames.exec(id) ?? [];
      if (component === undefined) return;
      return { code: `import '@mantine/core/styles/${component}.css';\n${code}`, map: null };
    },
  };
}
