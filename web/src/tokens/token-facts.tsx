import type { Token, TokenUsage } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { type Fact, Facts } from '../parts/facts.tsx';
import { HostileText } from '../parts/hostile-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { tokensTexts } from '../texts/tokens.ts';
import { EarlierValue } from './earlier-value.tsx';
import { tokenUsageQuery } from './token-queries.ts';

/** What is known of a token, without its value. */
export function TokenFacts({ projectID, token }: { readonly projectID: string; readonly token: Token }) {
  const { data: usage } = useQuery(tokenUsageQuery(projectID, token.id));
  const { createdBy, createdAt, expiresAt, lastUsedAt, revokedAt, revokeReason, revokedBy } = token;
  const facts: Fact[] = [
    { name: tokensTexts.value, value: <code>{token.token}</code> },
    { name: tokensTexts.created, value: <When at={createdAt} by={createdBy} /> },
    {
      name: tokensTexts.lastUsed,
      value: lastUsedAt === null ? tokensTexts.never : <RelativeTime at={lastUsedAt} />,
    },
    {
      name: tokensTexts.expires,
      value: expiresAt === null ? tokensTexts.never : <RelativeTime at={expiresAt} />,
    },
    { name: tokensTexts.limits, value: describeLimits(token) },
    ...token.earlierValues.map((value) => ({
      name: tokensTexts.earlierValue,
      value: (
        <>
          <EarlierValue value={value} />
          <br />
          <EarlierUse value={usage?.earlierValues.find((one) => one.token === value.token) ?? value} />
        </>
      ),
    })),
  ];
  if (revokedAt !== null) {
    facts.push({ name: tokensTexts.revoked, value: <When at={revokedAt} by={revokedBy} /> });
    if (revokeReason !== null) {
      facts.push({ name: tokensTexts.reason, value: <HostileText text={revokeReason} /> });
    }
  }
  return <Facts facts={facts} />;
}

/** Whether somebody still uses a value from before a rotation, and from where, as soon as that is known. */
function EarlierUse({
  value: { lastUsedAt, addresses },
}: {
  readonly value: Token['earlierValues'][number] & Partial<TokenUsage['earlierValues'][number]>;
}) {
  const [newest] = addresses ?? [];
  if (lastUsedAt === null) return tokensTexts.notUsedSince;
  return (
    <>
      {tokensTexts.lastUsedAt} <RelativeTime at={lastUsedAt} />
      {newest !== undefined && tokensTexts.from(newest.address)}
    </>
  );
}

function When({ at, by }: { readonly at: string; readonly by: Token['revokedBy'] }) {
  return (
    <>
      <RelativeTime at={at} /> {tokensTexts.by} <bdi>{nameOf(by)}</bdi>
    </>
  );
}

function nameOf(actor: Token['revokedBy']): string {
  if (actor === null) return tokensTexts.unknownActor;
  return actor.name ?? (actor.kind === 'system' ? tokensTexts.service : tokensTexts.unknownActor);
}

function describeLimits({ allowedNetworks, reportsPerSecond }: Token): string {
  const limits = [
    ...(allowedNetworks === null ? [] : [tokensTexts.fromNetworks(allowedNetworks)]),
    ...(reportsPerSecond === null ? [] : [tokensTexts.perSecond(reportsPerSecond)]),
  ];
  return limits.length === 0 ? tokensTexts.noLimits : limits.join('; ');
}
