import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

const pauseMilliseconds = 300;

interface TextFilterProps {
  readonly label: string;
  /** What an empty field means. */
  readonly placeholder: string;
  readonly value: string;
  readonly onFilter: (text: string) => void;
  readonly maxLength: number;
}

/** A field for an exact value, which filters after a pause in typing. */
export function TextFilter({ label, placeholder, value, onFilter, maxLength }: TextFilterProps) {
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const filterSoon = useDebouncedCallback(onFilter, pauseMilliseconds);
  // Back and forward change the address below the field.
  useEffect(() => {
    if (document.activeElement !== field.current) setText(value);
  }, [value]);
  return (
    <TextInput
      ref={field}
      aria-label={label}
      placeholder={placeholder}
      value={text}
      maxLength={maxLength}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        filterSoon(currentTarget.value.trim());
      }}
      flex="0 1 8.5rem"
      miw="6.5rem"
    />
  );
}
