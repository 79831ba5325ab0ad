import { transform } from 'lightningcss';

/** How the component library names its classes: the code of a component contains those that it uses. */
const libraryClasses = /\bm_[0-9a-f]+\b/g;

/** @param {string} script */
export function libraryClassesIn(script) {
  return script.match(libraryClasses) ?? [];
}

/**
 * Removes the rules of components that the dashboard does not use from the styles of the component library, which contain those of all components.
 *
 * @param {string} styles
 * @param {ReadonlySet<string>} used the classes of the library that scripts name
 */
export function dropUnusedStyles(styles, used) {
  const { code } = transform({
    filename: 'styles.css',
    code: Buffer.from(styles),
    visitor: {
      Rule: {
        style(rule) {
          const isUsed = rule.value.selectors.some((selector) =>
            selector.every(
              (part) => part.type !== 'class' || libraryClassesIn(part.name).every((name) => used.has(name)),
            ),
          );
          return isUsed ? undefined : [];
        },
      },
    },
  });
  return code.toString();
}
