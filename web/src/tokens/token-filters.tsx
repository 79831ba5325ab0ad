import { Group, NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { SearchField } from '../parts/search-field.tsx';
import { tokensTexts } from '../texts/tokens.ts';
import { readTokensSearch, type TokensSearch, tokenFilters } from './tokens-search.ts';

/** What the list shows, which stands in the address. */
export function TokenFilters({ search }: { readonly search: TokensSearch }) {
  const navigate = useNavigate({ from: '/projects/$projectID/tokens' });
  const change = (name: keyof TokensSearch, value: string) =>
    void navigate({
      search: (before) => readTokensSearch({ ...before, [name]: value }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Group gap="xs" mb="md">
      <NativeSelect
        aria-label={tokensTexts.filter}
        value={search.status ?? 'valid'}
        onChange={({ currentTarget }) => change('status', currentTarget.value)}
        data={tokenFilters.map((value) => ({ value, label: tokensTexts.filters[value] }))}
      />
      <SearchField value={search.q ?? ''} onSearch={(q) => change('q', q)} label={tokensTexts.search} />
    </Group>
  );
}
