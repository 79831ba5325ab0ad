import { allows, fluentBitPipeline, isGrant, type Permission, toClassicFormat } from '@muster/contract';

/** A way to use a token, ready to paste. */
export interface TokenSnippet {
  readonly id: 'curl' | 'fluentBit' | 'report' | 'helm';
  readonly parts: readonly SnippetPart[];
}

interface SnippetPart {
  /** Where it belongs. */
  readonly place: 'shell' | 'fluentBitConfig' | 'environmentFile' | 'helmValues';
  readonly text: string;
}

interface SnippetInput {
  /** The address of the service. */
  readonly url: URL;
  readonly token: string;
  readonly permissions: readonly string[];
}

/** What an agent needs that reports for its machine. */
const reporting: readonly Permission[] = ['create:agent', 'create:agent_error'];

/** The snippets that work with a token of these permissions. */
export function tokenSnippets(input: SnippetInput): TokenSnippet[] {
  const held = input.permissions.filter(isGrant);
  if (!reporting.every((permission) => allows(held, permission)))
    return [{ id: 'curl', parts: [whoAmI(input)] }];
  return [
    { id: 'curl', parts: [reportWithCurl(input)] },
    {
      id: 'fluentBit',
      parts: [
        { place: 'environmentFile', text: `PROJECT_TOKEN=${input.token}` },
        { place: 'fluentBitConfig', text: fluentBit(input.url) },
      ],
    },
    { id: 'report', parts: [musterReport(input)] },
    { id: 'helm', parts: helm(input) },
  ];
}

function whoAmI({ url, token }: SnippetInput): SnippetPart {
  return { place: 'shell', text: `curl -sS ${addressOf(url)}/v1/me -H 'X-Project-Token: ${token}'` };
}

function reportWithCurl({ url, token }: SnippetInput): SnippetPart {
  const lines = [
    `curl -sS "${addressOf(url)}/v1/machines/$(hostname)/errors"`,
    `  -H 'X-Project-Token: ${token}'`,
    `  -H 'Content-Type: application/json'`,
    `  -d '{"error":"a first error"}'`,
  ];
  return { place: 'shell', text: lines.join(' \\\n') };
}

function musterReport({ url, token }: SnippetInput): SnippetPart {
  const lines = [
    `export MUSTER_URL=${addressOf(url)}`,
    `export MUSTER_TOKEN=${token}`,
    'muster report -- fluent-bit -c /etc/fluent-bit/fluent-bit.conf',
  ];
  return { place: 'shell', text: lines.join('\n') };
}

/** As in the page about Fluent Bit: one configuration for the whole fleet. */
function fluentBit(url: URL): string {
  const isEncrypted = url.protocol === 'https:';
  return toClassicFormat(
    fluentBitPipeline({
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? (isEncrypted ? '443' : '80') : url.port,
      isEncrypted,
      uri: `${pathOf(url)}/v1/machines/${variable('HOSTNAME')}/errors?truncate=true&partial=true`,
      tokenHeader: `X-Project-Token ${variable('PROJECT_TOKEN')}`,
    }),
  ).trimEnd();
}

function helm({ token }: SnippetInput): SnippetPart[] {
  return [
    {
      place: 'shell',
      text: [
        `kubectl create secret generic muster-token --from-literal=PROJECT_TOKEN=${token}`,
        'helm upgrade --install fluent-bit fluent/fluent-bit --values values.yaml',
      ].join('\n'),
    },
    { place: 'helmValues', text: ['envFrom:', '  - secretRef:', '      name: muster-token'].join('\n') },
  ];
}

/** A variable that Fluent Bit replaces. */
function variable(name: string): string {
  return `$${`{${name}}`}`;
}

function addressOf(url: URL): string {
  return `${url.origin}${pathOf(url)}`;
}

function pathOf(url: URL): string {
  return url.pathname.replace(/\/$/, '');
}
