type Search = Readonly<Record<string, unknown>>;

/** One of the choices, or nothing: addresses come from anywhere. The first choice is the default, and does not stand in the address. */
export function choiceIn<Name extends string, Choice extends string>(
  search: Search,
  name: Name,
  choices: readonly Choice[],
): { readonly [Key in Name]?: Choice } {
  const found = choices.find((choice, place) => place > 0 && choice === search[name]);
  return found === undefined ? {} : one(name, found);
}

/** A text that is not empty, at most as long as the service takes it. */
export function textIn<Name extends string>(
  search: Search,
  name: Name,
  maxLength: number,
): { readonly [Key in Name]?: string } {
  const value = search[name];
  // The router reads `q=401` as a number.
  const text =
    typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, maxLength) : '';
  return text === '' ? {} : one(name, text);
}

function one<Name extends string, Value>(name: Name, value: Value) {
  return { [name]: value } as { readonly [Key in Name]: Value }; // TypeScript widens computed names to string
}
