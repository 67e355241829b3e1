import { isReleaseName, releaseSelector, stores } from '../../delivery/helm.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type Link, link } from '../chain.ts';
import { evidenceOf, type Inquiry } from '../inquiry.ts';

/** Helm keeps no account of what it makes for a hook: neither an upgrade nor uninstalling deletes it (execHook, pkg/action/hooks.go). */
export function hookLink(inquiry: Inquiry, record: ObjectRecord): Link | undefined {
  const events = record.annotations?.['helm.sh/hook'];
  if (events === undefined || record.ownerReferences.length > 0) return undefined;
  const release = record.labels?.['app.kubernetes.io/instance'] ?? '';
  const of = isReleaseName(release) ? ` of release ${release}` : '';
  const labels = releaseSelector(release);
  const { namespace } = record;
  const readings =
    of === '' ? [] : stores.map((type) => inquiry.ask({ ask: 'list', type, namespace, labels }));
  const isGone =
    readings.length > 0 &&
    readings.every((reading) => reading.state === 'read' && reading.value.length === 0);
  const because = `Helm made it for a hook${of} (${events})${isGone ? ', which does not exist any more' : ''}: uninstalling leaves it, unless its helm.sh/hook-delete-policy says otherwise`;
  return link(record, isGone ? 'left-behind' : 'kept', 'fine', because, {
    evidence: readings.flatMap((reading) =>
      evidenceOf(reading, (list) => (list.length === 0 ? 'none' : `${list.length}`)),
    ),
    ...(isGone && { next: 'Nothing deletes it: delete it manually.' }),
  });
}
