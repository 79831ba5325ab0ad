const maxBytes = 65_536;

const versions = [
  /\[fluent bit\] version=([\w.+-]{1,64})/,
  /starting fluentd-([\w.+-]{1,64})/,
  /\bvector.{0,200}\bversion="([\w.+-]{1,64})"/,
  /Starting otel\w*.{0,200}"Version": ?"([\w.+-]{1,64})"/,
];

/** Finds the version of an agent in its first output. */
export class VersionFinder {
  #bytes = 0;
  #version: string | undefined;

  get version(): string | undefined {
    return this.#version;
  }

  push(chunk: Buffer): void {
    if (this.#version !== undefined || this.#bytes > maxBytes) return;
    this.#bytes += chunk.length;
    const text = chunk.toString('latin1', 0, maxBytes);
    for (const pattern of versions) this.#version ??= pattern.exec(text)?.[1];
  }
}
