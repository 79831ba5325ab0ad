import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installIntoCache } from './install-into-cache.ts';

/**
 * Installs fonts like those of usual desktops, for pictures that look alike on every machine.
 *
 * @param directory where the settings are written
 * @returns a file for `FONTCONFIG_FILE`
 */
export async function writeFontSettings(directory: string): Promise<string> {
  const folders = await Promise.all([
    installIntoCache('@expo-google-fonts/inter', '0.4.2'),
    installIntoCache('@expo-google-fonts/jetbrains-mono', '0.4.1'),
  ]);
  const alias = (family: string, preferred: string) =>
    `<match target="pattern"><test name="family"><string>${family}</string></test><edit name="family" mode="prepend" binding="strong"><string>${preferred}</string></edit></match>`;
  const file = join(directory, 'fonts.conf');
  writeFileSync(
    file,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${[...folders, '/usr/share/fonts'].map((folder) => `<dir>${folder}</dir>`).join('\n')}
<cachedir>${join(directory, 'cache')}</cachedir>
${['system-ui', 'sans-serif'].map((family) => alias(family, 'Inter')).join('\n')}
${['ui-monospace', 'monospace'].map((family) => alias(family, 'JetBrains Mono')).join('\n')}
</fontconfig>
`,
  );
  return file;
}
