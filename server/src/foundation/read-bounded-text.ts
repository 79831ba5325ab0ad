/** Reads a text whose source may have no end, such as a device or an answer from another machine. @throws Error if it is longer */
export async function readBoundedText(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<string> {
  const read: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    const buffer = Buffer.from(chunk as Uint8Array); // a string is read in the same way
    bytes += buffer.length;
    if (bytes > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    read.push(buffer);
  }
  return Buffer.concat(read).toString('utf8');
}
