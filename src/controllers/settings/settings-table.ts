import {
  type KubeletSetting,
  kubeletSettings,
} from '../../kubelet/configuration/kubelet-settings.ts';
import type { FlagKind } from './command-line.ts';
import { controllerManagerSettings } from './controller-manager-settings.ts';
import {
  type Component,
  type SettingDefinition,
  type SettingType,
  type SettingValue,
  settingsOfRows,
} from './setting-definition.ts';

/** Flag, name, type, default (-: none), controllers, rule; what it means. */
const table = `
  enable-garbage-collector enableGarbageCollector bool true garbage-collector GC-78
    honour foreground deletion and orphaning; has to agree with kube-controller-manager
  default-not-ready-toleration-seconds defaultNotReadyTolerationSeconds int 300 node-lifecycle NODE-10
    how long pods stay on a node that is not ready
  default-unreachable-toleration-seconds defaultUnreachableTolerationSeconds int 300 node-lifecycle NODE-10
    how long pods stay on a node that is silent
  enable-admission-plugins enableAdmissionPlugins strings - node-lifecycle,garbage-collector NODE-10
    admission plugins besides the default ones
  disable-admission-plugins disableAdmissionPlugins strings - node-lifecycle NODE-10
    default admission plugins that are off; without DefaultTolerationSeconds pods leave at once
  delete-collection-workers deleteCollectionWorkers int 1 namespace GC-72
    objects that one DELETE of a collection removes at a time
  event-ttl eventTTL duration 1h0m0s events EVT-1
    etcd drops Events after that long
`;

/** The flags of kube-apiserver that decide what is collected. */
const apiServerSettings: readonly SettingDefinition[] = settingsOfRows('kube-apiserver', table, {
  'default-not-ready-toleration-seconds': { unit: 's' },
  'default-unreachable-toleration-seconds': { unit: 's' },
});

const rules: Readonly<Record<string, string>> = {
  'minimum-container-ttl-duration': 'CFG-4',
  'maximum-dead-containers-per-container': 'CFG-4',
  'maximum-dead-containers': 'CFG-4',
  evictionHard: 'EV-1',
  evictionSoft: 'EV-1',
};

/** The kubelet's settings as the table of all settings has them. */
function kubeletDefinitions(settings: readonly KubeletSetting[]): SettingDefinition[] {
  return settings.map(({ field, flag, default: text, successor, means }) => {
    const written = flag?.slice(2);
    const type = typeOf(field ?? '', text);
    const isEviction = field?.startsWith('eviction') ?? false;
    const name = field ?? camelCase(written ?? '');
    return {
      component: 'kubelet',
      name,
      flag: written,
      field,
      type,
      default: defaultOf(type, text),
      ...(field?.endsWith('Percent') && { unit: '%' }),
      ...(field === 'imageMaximumGCAge' && { since: 29 }),
      collectors: isEviction
        ? ['image-gc', 'container-gc']
        : [field === undefined ? 'container-gc' : 'image-gc'],
      rule: rules[field ?? written ?? ''] ?? 'CFG-1',
      means,
      successor,
    };
  });
}

function typeOf(field: string, text: string): SettingType {
  if (field.startsWith('eviction')) return 'map';
  return /^-?\d+$/.test(text) ? 'int32' : 'duration';
}

function defaultOf(type: SettingType, text: string): SettingValue {
  if (type === 'int32') return Number(text);
  if (type === 'duration') return text;
  const entries = text.split(', ').filter((entry) => entry !== '');
  return Object.fromEntries(entries.map((entry) => entry.split('<') as [string, string]));
}

function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Every setting that decides what is collected, by component. */
export const settingsTable: Readonly<Record<Component, readonly SettingDefinition[]>> = {
  'kube-controller-manager': controllerManagerSettings,
  'kube-apiserver': apiServerSettings,
  kubelet: kubeletDefinitions(kubeletSettings),
};

/** How the flags of a component are written. */
export function flagKindOf(component: Component): (flag: string) => FlagKind {
  const known = new Map(settingsTable[component].map((one) => [one.flag, one.type]));
  return (flag) => {
    const type = known.get(flag);
    if (type === 'bool') return 'switch';
    if (flag === 'feature-gates') return 'value';
    return type === undefined ? undefined : 'value';
  };
}
