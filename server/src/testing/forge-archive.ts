import { Header, type HeaderData } from 'tar';

/** An entry of an archive. It may claim a size that it does not have. */
export type ForgedEntry = Pick<HeaderData, 'path' | 'type' | 'linkpath' | 'size'> & {
  readonly text?: string;
};

/** A tar archive with these entries, which no tool would write. */
export function forgeArchive(entries: readonly ForgedEntry[]): Buffer {
  const blocks = entries.flatMap(({ text = '', ...data }) => {
    const size = Buffer.byteLength(text);
    const head = Buffer.alloc(512);
    new Header({ mode: 0o644, mtime: new Date(0), size, type: 'File', ...data }).encode(head);
    const body = Buffer.alloc(Math.ceil(size / 512) * 512);
    body.write(text);
    return [head, body];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1_024)]);
}
