import { usageError } from '../../errors.ts';
import type { ObjectFacts } from '../../kube/facts/object-facts.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';

type Selected = Pick<ObjectRecord, 'type' | 'name' | 'namespace' | 'facts'>;

/**
 * kubectl's `--field-selector` on what was read, with `=`, `==` and `!=`. In a value, a comma, an equals sign and a
 * backslash stand behind a backslash, and blanks count (ParseSelector of upstream's fields/selector.go). Throws GcError
 * (usage) for a label that no kind has; the test that it returns does so for an object whose kind does not have it, or
 * whose spec or status was not read.
 */
export function parseFieldSelector(selector: string): (record: Selected) => boolean {
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
