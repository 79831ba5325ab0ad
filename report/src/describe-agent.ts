import { createHash } from 'node:crypto';
import { arch, platform } from 'node:os';
import type { RegisterAgent } from '@muster/client';
import { readConfigFiles } from './process/read-config-files.ts';
import type { ReportOptions } from './report-options.ts';
import type { AgentDescription } from './sending/registrar.ts';

export interface DescribedAgent {
  readonly options: Pick<ReportOptions, 'name'>;
  readonly type: string;
  readonly configFiles: readonly string[];
  readonly machineID: string;
  readonly tell: (message: string) => void;
}

/** The registration of an agent, with the current content of its configuration files. Does not reject. */
export async function describeAgent(given: DescribedAgent): Promise<AgentDescription> {
  const { text: rawConfig, fault } = await readConfigFiles(given.configFiles);
  if (fault !== undefined) given.tell(`the configuration is not sent: ${fault}`);
  const body: RegisterAgent = {
    name: given.options.name,
    machineID: given.machineID,
    type: given.type,
    os: osNames[platform()] ?? platform(),
    arch: archNames[arch()] ?? arch(),
    ...(rawConfig === undefined ? {} : { rawConfig }),
  };
  return {
    body,
    digest: digest(JSON.stringify(body)),
    configDigest: digest(rawConfig ?? '').slice(0, 16),
  };
}

const osNames: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows' };
const archNames: Readonly<Record<string, string>> = { x64: 'x86_64', ia32: 'x86' };

export function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}
