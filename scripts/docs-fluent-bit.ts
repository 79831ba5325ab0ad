import {
  fluentBitFoldWithoutLua,
  fluentBitHeartbeat,
  fluentBitPipeline,
  toClassicFormat,
  toYamlFormat,
  warningsOfLoss,
} from '@muster/contract';

/** The target for a whole fleet in the page about Fluent Bit. `muster agent register --snippet` prints the same for one agent. */
const target = {
  host: 'muster.example.com',
  port: '443',
  isEncrypted: true,
  tokenHeader: `X-Project-Token $${'{PROJECT_TOKEN}'}`,
};
const machine = `/v1/machines/$${'{HOSTNAME}'}`;
const fleet = fluentBitPipeline({ ...target, uri: `${machine}/errors?truncate=true&partial=true` });
const heartbeat = fluentBitHeartbeat({ ...target, uri: `${machine}/heartbeat` });

const withoutLua = fluentBitFoldWithoutLua(['es.0']);

/** The configurations in the page about Fluent Bit, by the name in their marker. */
export const fluentBitBlocks: Readonly<Record<string, () => string>> = {
  'fluent-bit-classic': () => fenced('ini', toClassicFormat(fleet)),
  'fluent-bit-yaml': () => fenced('yaml', toYamlFormat(fleet)),
  'fluent-bit-heartbeat-classic': () => fenced('ini', toClassicFormat(heartbeat)),
  'fluent-bit-heartbeat-yaml': () => fenced('yaml', toYamlFormat(heartbeat)),
  'fluent-bit-without-lua-classic': () => fenced('ini', toClassicFormat(withoutLua)),
  'fluent-bit-without-lua-yaml': () => fenced('yaml', toYamlFormat(withoutLua)),
  'fluent-bit-warnings': () => warningsOfLoss.map(({ loss }) => `- ${loss}`).join('\n'),
};

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\`\`\``;
}
