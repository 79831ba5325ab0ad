/** A text in which backticks mark commands and names. */
export function TextWithCode({ text }: { readonly text: string }) {
  return text.split('`').map((part, place) =>
    place % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity, and are never moved
      <code key={place}>{part}</code>
    ) : (
      part
    ),
  );
}
