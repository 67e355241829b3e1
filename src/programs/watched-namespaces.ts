import { type ContainerVariable, namespaceVariable } from '../kube/facts/pod.ts';
import { matchesPattern } from '../kube/names.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { isPod } from '../kube/well-known-kinds.ts';
import type { FinalizerController } from './known-finalizers.ts';

type Containers = NonNullable<NonNullable<ObjectRecord['facts']>['containers']>;

/** Namespaces, as an argument or a variable names them; undefined where it was not read what they are. */
interface NamespaceSetting {
  /** `--watch-namespace`. */
  readonly name: string;
  readonly namespaces: readonly string[] | undefined;
}

/** Whether a program watches a namespace, and what shows that. */
interface WatchedNamespace {
  readonly watches: 'yes' | 'no' | 'unknown';
  readonly because: string;
}

const watched: WatchedNamespace = { watches: 'yes', because: '' };

/**
 * Does a program watch objects of this namespace? Its arguments and variables show when it watches some namespaces only. A program
 * with `namespacesFrom` watches its own, and more only where one of these names them.
 */
export function watchedNamespace(
  program: ObjectRecord,
  { namespacesFrom }: FinalizerController,
  namespace: string,
): WatchedNamespace {
  const { namespace: own, facts } = program;
  if (namespace === '' || namespace === own) return watched;
  const containers = facts?.containers ?? [];
  const settings = namespaceSettings(containers, own).filter(
    ({ name }) => namespacesFrom?.includes(name) ?? !extending.test(name),
  );
  if (settings.length === 0 && !namespacesFrom) return watched;
  return watchedBySettings(program, settings, namespacesFrom, namespace);
}

function watchedBySettings(
  program: ObjectRecord,
  settings: readonly NamespaceSetting[],
  namespacesFrom: FinalizerController['namespacesFrom'],
  namespace: string,
): WatchedNamespace {
  const containers = program.facts?.containers ?? [];
  const namespaces = settings.flatMap((setting) => setting.namespaces ?? []);
  if (namespacesFrom) namespaces.unshift(program.namespace);
  if (namespaces.some((pattern) => matchesPattern(pattern, namespace))) return watched;
  const names = settings.map(({ name }) => name).join(', ') || namespacesFrom?.join(' or ');
  // Arguments of bare Pods, and variables that a whole ConfigMap sets, are not read.
  const isHidden =
    containers.length === 0 ||
    isPod(program) ||
    containers.some(({ environments = [] }) => environments.length > 0);
  if (settings.some((one) => !one.namespaces) || (namespacesFrom && isHidden)) {
    return { watches: 'unknown', because: `its ${names} may leave out namespace ${namespace}` };
  }
  const because = `it watches ${namespaces.join(', ')} only (${settings.length === 0 ? 'no ' : ''}${names})`;
  return { watches: 'no', because };
}

/** They add namespaces to that of the program, and limit nothing. */
const extending = /^(--application|ARGOCD_)/;

function namespaceSettings(containers: Containers, own: string): NamespaceSetting[] {
  return containers.flatMap(({ command = [], args = [], variables = [] }) => {
    const values = new Map(
      variables.map((variable) => [variable.name, variableValue(variable, own)]),
    );
    return [
      ...[...command, ...args].flatMap((argument) => argumentSetting(argument, values, own)),
      ...[...values].flatMap(([name, value]) =>
        namespaceVariable.test(name) ? settingOf(name, value) : [],
      ),
    ];
  });
}

/** Undefined where something else has the value. */
function variableValue(
  { value = '', fieldPath, configMapName, secretName }: ContainerVariable,
  own: string,
): string | undefined {
  if (fieldPath === 'metadata.namespace') return own;
  return (fieldPath ?? configMapName ?? secretName) === undefined ? value : undefined;
}

/** `--watch-namespace=$(POD_NAMESPACE)`, which the kubelet expands. */
function argumentSetting(
  argument: string,
  values: ReadonlyMap<string, string | undefined>,
  own: string,
): NamespaceSetting[] {
  const [, flag = '', value] = argument.match(/^--?([\w-]+)(?:[= ](.*))?$/) ?? [];
  const name = `--${flag}`;
  if (flag === 'watch-all-namespaces') return value === 'false' ? settingOf(name, own) : [];
  if (flag === 'namespaced') return value === 'false' ? [] : settingOf(name, own);
  const [, variable] = value?.match(/^\$\((\w+)\)$/) ?? [];
  return settingOf(name, variable === undefined ? value : values.get(variable));
}

/** None where it names every namespace, as an empty list does. */
function settingOf(name: string, value: string | undefined): NamespaceSetting[] {
  // Programs use --namespace with different meanings, and some take patterns of their own.
  if (value === undefined || name === '--namespace' || /[^\w,.*\s-]/.test(value)) {
    return [{ name, namespaces: undefined }];
  }
  const namespaces = value.split(/[,\s]+/).filter(Boolean);
  return namespaces.length === 0 ? [] : [{ name, namespaces }];
}
