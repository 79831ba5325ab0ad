/** Every value that a unit of systemd gives to a name, in their order. */
export function valuesOf(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}
