import { kubeletSettings } from '../../kubelet/kubelet-settings.ts';
import { apiServerSettings } from './api-server-settings.ts';
import type { FlagKind } from './command-line.ts';
import { controllerManagerSettings } from './controller-manager-settings.ts';
import { kubeletDefinitions } from './kubelet-definitions.ts';
import type { Component, SettingDefinition } from './setting-definition.ts';

/** Every setting that decides what is collected, by component. */
export const settingsTable: Readonly<Record<Component, readonly SettingDefinition[]>> = {
  'kube-controller-manager': controllerManagerSettings,
  'kube-apiserver': apiServerSettings,
  kubelet: kubeletDefinitions(kubeletSettings),
};

const switches: Readonly<Record<Component, ReadonlySet<string>>> = {
  'kube-controller-manager': new Set([
    'allocate-node-cidrs',
    'configure-cloud-routes',
    'contention-profiling',
    'profiling',
    'use-service-account-credentials',
    'disable-attach-detach-reconcile-sync',
    'authentication-skip-lookup',
    'authentication-tolerate-lookup-failure',
    'enable-dynamic-provisioning',
    'enable-leader-migration',
    'disable-force-detach-on-timeout',
    'disable-http2-serving',
    'permit-address-sharing',
    'permit-port-sharing',
  ]),
  'kube-apiserver': new Set([
    'allow-privileged',
    'anonymous-auth',
    'enable-bootstrap-token-auth',
    'enable-aggregator-routing',
    'enable-priority-and-fairness',
    'profiling',
    'service-account-lookup',
  ]),
  kubelet: new Set([]),
};

/** How the flags of a component are written. */
export function flagKindOf(component: Component): (flag: string) => FlagKind {
  const known = new Map(settingsTable[component].map((one) => [one.flag, one.type]));
  return (flag) => {
    const type = known.get(flag);
    if (type === 'bool' || switches[component].has(flag)) return 'switch';
    if (flag === 'feature-gates') return 'value';
    return type === undefined ? undefined : 'value';
  };
}
