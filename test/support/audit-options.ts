import { type AuditOptions, ruleIds } from '../../src/audit/audit.ts';
import { defaultControllerSettings } from '../../src/settings/controller-settings.ts';

/** All rules, as they are without a configuration. */
export function allRules(now: string): AuditOptions {
  return {
    now: Date.parse(now),
    scope: () => true,
    rules: new Set(ruleIds),
    severities: {},
    severity: 'info',
    failOn: 'error',
    allowIncomplete: false,
    exceptions: [],
    baseline: undefined,
    settings: defaultControllerSettings,
    settingsFrom: 'default',
  };
}
