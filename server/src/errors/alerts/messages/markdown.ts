/**
 * Makes a text appear literally in the Markdown of chats, and mention nobody: characters of Markdown are escaped, and after an @ comes a
 * character that cannot be seen, which ends the mention.
 */
export function literal(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#|~<>!]/g, '\\$&').replaceAll('@', '@\u200b');
}

/** A block in which Markdown and mentions are not read. The text cannot end it. */
export function codeBlock(text: string): string {
  return `\`\`\`\n${text.replaceAll('`', '`\u200b').replaceAll('@', '@\u200b')}\n\`\`\``;
}

/** Code within a line. */
export function inlineCode(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll('@', '@\u200b')}\``;
}
