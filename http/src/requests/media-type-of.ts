/** The media type of a Content-Type, without its parameters and in lower case; empty if there is none. */
export function mediaTypeOf(contentType = ''): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
