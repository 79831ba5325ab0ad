import type { FleetConfigFinding, SiteConfigPart } from '@muster/contract';
import type { ConfigPiece } from '@muster/fleet-config';
import { Refusal } from '../../foundation/refusal.ts';
import { type CheckedConfig, findingsOf } from './config-findings.ts';
import {
  renderConfig,
  renderForSites,
  type SiteForm,
  type StoredConfig,
  type WantedForm,
} from './render-config.ts';

/** What is done with a configuration, and can take some tenths of a second with a large one. */
export type ConfigTask =
  | { readonly kind: 'check'; readonly config: CheckedConfig }
  | { readonly kind: 'render'; readonly config: StoredConfig; readonly form: WantedForm }
  | { readonly kind: 'renderForSites'; readonly config: StoredConfig; readonly form: SiteForm };

export interface ConfigResults {
  readonly check: FleetConfigFinding[];
  readonly render: readonly ConfigPiece[];
  readonly renderForSites: SiteConfigPart[];
}

/** As it is sent from thread to thread, where errors lose their class. */
export type ConfigOutcome =
  | { readonly result: ConfigResults[ConfigTask['kind']] }
  | { readonly refusal: Pick<Refusal, 'code' | 'detail' | 'fields'> };

export function outcomeOf(task: ConfigTask): ConfigOutcome {
  try {
    return { result: resultOf(task) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, detail, fields } = error;
    return { refusal: { code, detail, fields } };
  }
}

/** @throws Refusal invalid_query_parameter, fleet_config_incomplete */
export function resultOf(task: ConfigTask): ConfigResults[ConfigTask['kind']] {
  if (task.kind === 'check') return findingsOf(task.config);
  if (task.kind === 'render') return renderConfig(task.config, task.form);
  return renderForSites(task.config, task.form);
}
