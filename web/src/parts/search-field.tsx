import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useKeys } from '../keys/use-keys.ts';
import { keysTexts } from '../texts/keys.ts';
import { partsTexts } from '../texts/parts.ts';
import { Icon } from './icon.tsx';

const pauseMilliseconds = 300;

interface SearchFieldProps {
  readonly value: string;
  readonly onSearch: (text: string) => void;
  readonly label?: string;
  readonly maxLength?: number;
}

/** A field that searches after a pause in typing. `/` leads to it. */
export function SearchField({
  value,
  onSearch,
  label = partsTexts.search,
  maxLength = 256,
}: SearchFieldProps) {
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const searchSoon = useDebouncedCallback(onSearch, pauseMilliseconds);
  // Back and forward change the address below the field.
  useEffect(() => {
    if (document.activeElement !== field.current) setText(value);
  }, [value]);
  useKeys([{ key: '/', text: keysTexts.search, run: () => field.current?.focus() }]);
  return (
    <TextInput
      ref={field}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={16} />}
      value={text}
      maxLength={maxLength}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        searchSoon(currentTarget.value);
      }}
      miw={0}
      flex="1 1 14rem"
      maw="28rem"
    />
  );
}
