import { Text } from '@mantine/core';
import type { Token, UpdateToken } from '@muster/client';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { formatExact } from '../../parts/format-time.ts';
import { NameText } from '../../parts/name-text.tsx';
import { describeGrant } from '../../permissions/describe-grant.ts';
import { tokensTexts } from '../../texts/tokens.ts';
import { permissionChanges } from './token-input.ts';

interface TokenChangesProps {
  readonly token: Token;
  readonly changes: UpdateToken;
}

/** What a change does, before it is made. */
export function TokenChanges({ token, changes }: TokenChangesProps) {
  const facts = factsOf(token, changes);
  return (
    <section aria-label={tokensTexts.changes}>
      <Text size="sm" fw={600} mb={4}>
        {tokensTexts.changes}
      </Text>
      {facts.length === 0 ? (
        <Text size="sm" c="dimmed">
          {tokensTexts.noChanges}
        </Text>
      ) : (
        <Facts facts={facts} />
      )}
    </section>
  );
}

function factsOf(token: Token, changes: UpdateToken): Fact[] {
  const { name, permissions, expiresAt, allowedNetworks, reportsPerSecond } = changes;
  const { added, removed } = permissionChanges(token.permissions, permissions ?? token.permissions);
  return [
    ...(name === undefined
      ? []
      : [
          {
            name: tokensTexts.name,
            value: (
              <>
                <NameText text={token.name} /> → <NameText text={name} />
              </>
            ),
          },
        ]),
    ...(added.length === 0 ? [] : [{ name: tokensTexts.mayToo, value: <Grants grants={added} /> }]),
    ...(removed.length === 0
      ? []
      : [
          {
            name: tokensTexts.mayNoLonger,
            value: (
              <>
                <Grants grants={removed} />
                {tokensTexts.dependentsLose}
              </>
            ),
          },
        ]),
    ...(expiresAt === undefined
      ? []
      : [
          {
            name: tokensTexts.expires,
            value: `${tokensTexts.fromTo(ending(token.expiresAt), ending(expiresAt))}. ${tokensTexts.dependentsEnd}`,
          },
        ]),
    ...(allowedNetworks === undefined
      ? []
      : [
          {
            name: tokensTexts.networks,
            value: tokensTexts.fromTo(places(token.allowedNetworks), places(allowedNetworks)),
          },
        ]),
    ...(reportsPerSecond === undefined
      ? []
      : [
          {
            name: tokensTexts.reportsPerSecond,
            value: tokensTexts.fromTo(rate(token.reportsPerSecond), rate(reportsPerSecond)),
          },
        ]),
  ];
}

function Grants({ grants }: { readonly grants: readonly string[] }) {
  return grants.map((grant) => (
    <div key={grant}>
      {describeGrant(grant)} <code>{grant}</code>
    </div>
  ));
}

function ending(time: string | null): string {
  return time === null ? tokensTexts.never : formatExact(time);
}

function places(networks: readonly string[] | null): string {
  return networks === null ? tokensTexts.everywhere : networks.join(', ');
}

function rate(count: number | null): string {
  return count === null ? tokensTexts.noLimit : tokensTexts.perSecond(count);
}
