import { statSync } from 'node:fs';
import type { ClientEnvironment } from '../../cluster/connection/client-environment.ts';
import { inNamespace, shellCommand, suggested } from '../../command-line/shell-command.ts';
import { type ParsedTargets, parseTargets } from '../../command-line/type-argument.ts';
import { GcError, isGcError, usageError } from '../../errors.ts';
import type { ObjectFacts } from '../../kube/facts/object-facts.ts';
import { parseLabelSelector } from '../../kube/label-selector.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { CommonFlags, selectorFlags, ValuesOf } from '../flags/flags.ts';

/** Is a listing about this object? */
export type Scope = (record: ObjectRecord) => boolean;

/**
 * Which objects a listing is about: kinds (none named: all), a namespace (undefined: all, and
 * cluster-scoped objects), labels. In two steps, so that wrong selectors are reported before
 * anything is asked, and wrong kinds before anything is listed.
 */
export function scopeOf(
  args: readonly string[],
  selectors: Selectors,
): (types: ResourceTypes, namespace: string | undefined) => Scope {
  const matches = selectorsOf(selectors);
  return (types, namespace) => inKinds(kindsOf(args, types, namespace), namespace, matches);
}

function inKinds(
  kinds: ReadonlySet<string> | undefined,
  namespace: string | undefined,
  matches: Scope,
): Scope {
  return (record) =>
    (kinds === undefined || kinds.has(groupResourceOf(record.type))) &&
    (namespace === undefined || isInNamespace(record, namespace)) &&
    matches(record);
}

/** A manifest that names no namespace is created in the one that is asked about. */
export function isInNamespace({ type, namespace }: ObjectRecord, asked: string): boolean {
  return namespace === asked || (namespace === '' && type.namespaced);
}

/** The kinds that arguments name, as in `deployments.apps`; undefined: all. */
export function kindsOf(
  args: readonly string[],
  types: ResourceTypes,
  namespace: string | undefined,
): Set<string> | undefined {
  if (args.length === 0) return undefined;
  const targets = args.flatMap((arg) => parseArguments([arg], types).targets);
  const named = targets.find((target) => target.name !== undefined);
  if (named) {
    const name = `${named.type.singular}/${named.name}`;
    throw usageError(`this command takes kinds, not names: ${args.join(' ')}`, [
      suggested(
        'To explain one object',
        shellCommand`kubectl gc why ${name} ${inNamespace({ namespace: named.type.namespaced && namespace ? namespace : '' })}`,
      ),
    ]);
  }
  return new Set(targets.map((target) => groupResourceOf(target.type)));
}

export type Selectors = ValuesOf<typeof selectorFlags>;

export function hasSelector(selectors: Selectors): boolean {
  return selectors.selector !== undefined || selectors['field-selector'] !== undefined;
}

/** The namespace that a question is about; undefined: all of them. */
export function askedNamespace(
  flags: Pick<CommonFlags, 'namespace'> & AllNamespaces,
): string | undefined {
  return flags['all-namespaces'] ? undefined : flags.namespace;
}

/** Commands about a whole cluster print what they were about. */
export function scopeInWords(namespace: string | undefined): string {
  return namespace === undefined ? 'in all namespaces' : `in ${namespace} namespace`;
}

/**
 * The namespace that a question about the objects of files is about, as on the cluster: that of `-n`, else
 * that of the context; undefined: all of them.
 */
export async function namespaceInFiles(
  flags: CommonFlags & AllNamespaces,
): Promise<string | undefined> {
  return flags['all-namespaces'] ? undefined : oneNamespaceInFiles(flags);
}

/**
 * The same for a question that is about one namespace. Nothing but the context's namespace counts of the kubeconfig; where
 * it names none or cannot be used, that is `default`, and no error.
 */
export async function oneNamespaceInFiles(
  flags: Pick<CommonFlags, 'namespace' | 'kubeconfig' | 'context'>,
  given?: ClientEnvironment,
): Promise<string> {
  const { namespace, context } = flags;
  if (namespace) return namespace;
  const config = await kubeconfigInFiles(flags, given);
  return config?.contexts.get(context || config['current-context'])?.namespace || 'default';
}

/** The context that kubectl uses where no flag names one; undefined where none is set. */
export async function currentContext(
  flags: Pick<CommonFlags, 'kubeconfig'>,
): Promise<string | undefined> {
  const config = await kubeconfigInFiles(flags);
  return config?.['current-context'] || undefined;
}

/** Undefined where it cannot be used. */
async function kubeconfigInFiles(
  { kubeconfig }: Pick<CommonFlags, 'kubeconfig'>,
  given?: ClientEnvironment,
) {
  const [{ kubeconfigFiles, loadKubeconfig }, { processEnvironment }] = await Promise.all([
    import('../../cluster/connection/kubeconfig.ts'),
    import('../../cluster/connection/client-environment.ts'),
  ]);
  const environment = given ?? processEnvironment();
  const isReadable = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  try {
    // A pipe would be waited for, and may be the input itself.
    if (!kubeconfigFiles(kubeconfig, environment).every(isReadable)) return undefined;
    return (await loadKubeconfig(kubeconfig, environment)).config;
  } catch {
    return undefined;
  }
}

/** What to say where an answer about one namespace is empty; undefined where no other was read. */
export function otherNamespaces(
  records: readonly { readonly namespace: string }[],
  namespace: string | undefined,
): string | undefined {
  if (namespace === undefined) return undefined;
  const others = new Set(records.map((record) => record.namespace));
  for (const name of ['', namespace]) others.delete(name);
  const [first, ...more] = others;
  if (first === undefined) return undefined;
  const what = more.length === 0 ? `namespace ${first}` : `${more.length + 1} other namespaces`;
  return `The input also contains ${what}: choose with -n, or all with -A.`;
}

export interface AllNamespaces {
  readonly 'all-namespaces'?: boolean;
}

/** The objects in that namespace that the selectors match. */
export function scopeOfFlags(flags: CommonFlags & AllNamespaces & Selectors): Scope {
  return inKinds(undefined, askedNamespace(flags), selectorsOf(flags));
}

/** Does an object pass both? */
export function selectorsOf(selectors: Selectors): Scope {
  // Labels become an object when they are looked at: of a whole cluster, that takes time and memory.
  return hasSelector(selectors) ? givenSelectors(selectors) : () => true;
}

function givenSelectors(selectors: Selectors): Scope {
  const byLabels = parseLabelSelector(selectors.selector ?? '');
  const byFields = parseFieldSelector(selectors['field-selector'] ?? '');
  return (record) => byLabels(record.labels) && byFields(record);
}

/** Reads `TYPE/NAME` and its like. For an unknown type the error says which APIs could not be read. */
export function parseArguments(args: readonly string[], types: ResourceTypes): ParsedTargets {
  try {
    return parseTargets(args, types);
  } catch (error) {
    if (!isGcError(error) || error.code !== 'unknown-type' || types.failed.length === 0)
      throw error;
    const { message, code, exitCode, advice } = error;
    const unasked = types.failed.map((failure) => failure.message);
    throw new GcError(message, { code, exitCode, suggestions: [...advice, ...unasked] });
  }
}

type Selected = Pick<ObjectRecord, 'type' | 'name' | 'namespace' | 'facts'>;

/**
 * kubectl's `--field-selector` on what was read, with `=`, `==` and `!=`. In a value, a comma, an equals sign and a
 * backslash stand behind a backslash, and blanks count (ParseSelector of upstream's fields/selector.go). Throws GcError
 * (usage) for a label that no kind has; the test that it returns does so for an object whose kind does not have it, or
 * whose spec or status was not read.
 */
function parseFieldSelector(selector: string): (record: Selected) => boolean {
  const terms = selector.match(/(?:\\.|[^,])+/gsu) ?? [];
  const tests = terms.map((term) => {
    const [, label = '', operator, value = ''] =
      /^([^=!]+)(==|=|!=)((?:\\[\\,=]|[^\\=])*)$/u.exec(term) ?? [];
    if (!operator) throw unsupportedSelector(`invalid field selector: "${term}"`);
    const isCommon = label === 'metadata.name' || label === 'metadata.namespace';
    if (!isCommon && ![...labelsOfKinds.keys()].some((key) => key.endsWith(` ${label}`))) {
      throw unsupportedSelector(`field label not supported: ${label}`);
    }
    const wanted = value.replace(/\\(.)/gu, '$1');
    return (record: Selected) => (labelValue(record, label) === wanted) === (operator !== '!=');
  });
  return (record) => tests.every((test) => test(record));
}

function unsupportedSelector(message: string) {
  return usageError(message, [
    'Write --field-selector metadata.name=web, or select by labels with -l.',
  ]);
}

type Read = (facts: ObjectFacts) => string | undefined;

/**
 * The labels that API servers know of a kind besides name and namespace, as far as their fields are kept: ToSelectableFields
 * and its like in each pkg/registry/GROUP/KIND/strategy.go.
 */
const labelsOfKinds = new Map<string, Read>([
  ['pods spec.nodeName', ({ nodeName }) => nodeName],
  ['pods spec.serviceAccountName', ({ serviceAccountName = '' }) => serviceAccountName],
  ['pods status.phase', ({ phase }) => phase],
  ['namespaces status.phase', ({ phase }) => phase],
  ['nodes spec.unschedulable', ({ unschedulable = false }) => String(unschedulable)],
  ['replicationcontrollers status.replicas', ({ statusReplicas = 0 }) => String(statusReplicas)],
  ['replicasets.apps status.replicas', ({ statusReplicas = 0 }) => String(statusReplicas)],
  ['jobs.batch status.successful', ({ succeeded = 0 }) => String(succeeded)],
  [
    'certificatesigningrequests.certificates.k8s.io spec.signerName',
    ({ signerName }) => signerName,
  ],
]);

function labelValue(record: Selected, label: string): string {
  if (label === 'metadata.name') return record.name;
  if (label === 'metadata.namespace') return record.namespace;
  const resource = groupResourceOf(record.type);
  const read = labelsOfKinds.get(`${resource} ${label}`);
  if (!read) throw unsupportedSelector(`field label not supported for ${resource}: ${label}`);
  const value = record.facts && read(record.facts);
  if (value !== undefined) return value;
  throw usageError(`--field-selector ${label}: it was not read of ${resource} "${record.name}"`, [
    'Save the objects in full, as get -o yaml or snapshot save does.',
  ]);
}
