import { type AuditOptions, ruleIds } from '../../src/audit/audit.ts';
import { defaultControllerSettings } from '../../src/controllers/settings/controller-settings.ts';

/** All rules. */
export function allRules(now: string): AuditOptions {
  return {
    now: Date.parse(now),
    scope: () => true,
    rules: new Set(ruleIds),
    severity: 'info',
    failOn: 'error',
    allowIncomplete: false,
    baseline: undefined,
    settings: defaultControllerSettings,
    settingsFrom: 'default',
  };
}
