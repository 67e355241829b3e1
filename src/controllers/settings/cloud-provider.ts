import { minorOf } from './setting-definition.ts';
import type { ProgramFacts } from './settings-facts.ts';

/** Of Kubernetes 1; of later ones it was not tried. */
const lastTried = 36;

/** kube-controller-manager has no cloud providers of its own any more (DisableWarningForProvider, k8s.io/cloud-provider). */
export function cloudProviderFaults({ component, version, commandLine }: ProgramFacts): string[] {
  if (component !== 'kube-controller-manager') return [];
  if ((minorOf(version) ?? lastTried) > lastTried) return [];
  const { text: provider = '', unclear } = commandLine?.flags.get('cloud-provider')?.at(-1) ?? {};
  if (unclear !== undefined || provider === '' || provider === 'external') return [];
  return [
    `cloud provider ${JSON.stringify(provider)} was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider`,
  ];
}
