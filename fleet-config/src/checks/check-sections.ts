import { nearestName } from '@muster/contract';
import type { Finding } from '../finding.ts';
import { type ConfigSection, type ReadConfig, sectionKinds, textOf } from '../reading/config-section.ts';

/** Where the sections stand: a file of parsers has others than the configuration. */
export type SectionHolder = 'classic' | 'yaml' | 'parsers file';

const topLevelKeys = [
  'service',
  'pipeline',
  'parsers',
  'multiline_parsers',
  'stream_processor',
  'plugins',
  'upstream_servers',
  'env',
  'includes',
  'extensions',
];

/** The formats that Fluent Bit has parsers for. */
const parserFormats = ['regex', 'json', 'ltsv', 'logfmt'];

/** Of the section `service`, as Fluent Bit 5.1 knows them. It ignores others without a word. */
const serviceProperties = [
  'flush',
  'flush.adaptive',
  'flush.adaptive.min_interval',
  'flush.adaptive.max_interval',
  'flush.adaptive.low_pressure',
  'flush.adaptive.medium_pressure',
  'flush.adaptive.high_pressure',
  'flush.adaptive.up_steps',
  'flush.adaptive.down_steps',
  'grace',
  'json.convert_nan_to_null',
  'security.fips_mode',
  'daemon',
  'log_file',
  'parsers_file',
  'plugins_file',
  'log_level',
  'http_server',
  'http_listen',
  'http_port',
  'health_check',
  'hc_errors_count',
  'hc_retry_failure_count',
  'hc_period',
  'dns.mode',
  'dns.resolver',
  'dns.prefer_ipv4',
  'dns.prefer_ipv6',
  'storage.path',
  'storage.sync',
  'storage.metrics',
  'storage.checksum',
  'storage.backlog.mem_limit',
  'storage.backlog.flush_on_shutdown',
  'storage.max_chunks_up',
  'storage.delete_irrecoverable_chunks',
  'storage.trim_files',
  'storage.type',
  'storage.inherit',
  'storage.keep.rejected',
  'storage.rejected.path',
  'storage.rejected.limit',
  'coro_stack_size',
  'multiline_buffer_limit',
  'scheduler.cap',
  'scheduler.base',
  'json.escape_unicode',
  'streams_file',
  'sp.convert_from_str_to_num',
  'enable_chunk_trace',
  'windows.maxstdio',
  'hot_reload',
  'hot_reload.ensure_thread_safety',
  'hot_reload.timeout',
  'telemetry',
];

/** Sections that Fluent Bit refuses, ignores, or that a fleet must not have. */
export function checkSections({ sections }: ReadConfig, holder: SectionHolder): Finding[] {
  return sections.flatMap((section): Finding[] => {
    if (section.kind === 'other') return [explainUnknownSection(section, holder)];
    if (section.kind === 'custom') return checkCustom(section, holder);
    if (section.kind === 'service') return checkService(section);
    if (section.kind === 'parser' || section.kind === 'multiline_parser')
      return checkParser(section, section.kind, holder);
    return [];
  });
}

function explainUnknownSection({ written, place }: ConfigSection, holder: SectionHolder): Finding {
  const nearest = nearestName(written, holder === 'yaml' ? topLevelKeys : sectionKinds);
  return {
    severity: 'warning',
    code: 'unknown_section',
    message: `Fluent Bit ignores '${written}', because it knows no section of this name.`,
    remedy:
      nearest === undefined || nearest === written.toLowerCase()
        ? 'Remove it.'
        : `Use '${holder === 'yaml' ? nearest : nearest.toUpperCase()}'.`,
    ...place,
  };
}

function checkCustom(section: ConfigSection, holder: SectionHolder): Finding[] {
  if (textOf(section, 'name')?.toLowerCase() !== 'calyptia') return [];
  return [
    {
      severity: 'error',
      code: 'custom_forbidden',
      message:
        'The plugin calyptia must not be in the configuration of a fleet: the agent would register a second time.',
      remedy: `Remove ${holder === 'yaml' ? "'customs'" : 'this section'}. It belongs in the agent's own file.`,
      ...section.place,
    },
  ];
}

function checkService({ properties }: ConfigSection): Finding[] {
  return properties.flatMap(({ name, written, place }): Finding[] => {
    if (serviceProperties.includes(name)) return [];
    const nearest = nearestName(name, serviceProperties);
    return [
      {
        severity: 'warning',
        code: 'unknown_property',
        message: `Fluent Bit ignores '${written}', because 'service' has no property of this name.`,
        remedy: nearest === undefined ? 'Remove it.' : `Use '${nearest}'.`,
        ...place,
      },
    ];
  });
}

function checkParser(
  section: ConfigSection,
  kind: 'parser' | 'multiline_parser',
  holder: SectionHolder,
): Finding[] {
  if (holder === 'classic') {
    return [
      {
        severity: 'error',
        code: 'misplaced_section',
        message: `Fluent Bit refuses the section '${section.written}' in a configuration of the classic format.`,
        remedy: "Put it into a file of the fleet, and name the file as 'parsers_file' in [SERVICE].",
        ...section.place,
      },
    ];
  }
  const required = kind === 'parser' ? ['name', 'format'] : ['name', 'type'];
  const missing = required.find((name) => section.properties.every((property) => property.name !== name));
  if (missing !== undefined) return [explainMissing(section, missing)];
  if (kind === 'multiline_parser') return [];
  const format = section.properties.find(({ name }) => name === 'format');
  const value = format?.value?.toLowerCase() ?? '';
  if (format !== undefined && !value.includes('$') && !parserFormats.includes(value)) {
    const nearest = nearestName(value, parserFormats);
    return [
      {
        severity: 'error',
        code: 'bad_value',
        message: `Fluent Bit has no format '${value}' for parsers.`,
        remedy: `Use '${nearest ?? parserFormats.join("', '")}'.`,
        ...format.place,
      },
    ];
  }
  return value === 'regex' && textOf(section, 'regex') === undefined
    ? [explainMissing(section, 'regex')]
    : [];
}

function explainMissing({ kind, place }: ConfigSection, name: string): Finding {
  return {
    severity: 'error',
    code: 'missing_property',
    message: `This ${kind.replace('_', ' ')} has no '${name}'.`,
    remedy: `Add the property '${name}'.`,
    ...place,
  };
}
