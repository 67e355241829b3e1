import {
  isReleaseName,
  leftByRelease,
  releaseLabels,
  releaseOf,
  stores,
} from '../../delivery/helm.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type Link, link } from '../chain.ts';
import { type Evidence, evidenceOf, type Inquiry, valueIn } from '../inquiry.ts';

/** Helm keeps no account of what it makes for a hook: neither an upgrade nor uninstalling deletes it (execHook, pkg/action/hooks.go). */
export function hookLink(inquiry: Inquiry, record: ObjectRecord): Link | undefined {
  const events = record.annotations?.['helm.sh/hook'];
  if (events === undefined || record.ownerReferences.length > 0) return undefined;
  const release = record.labels?.['app.kubernetes.io/instance'] ?? '';
  const revisions = releaseRevisions(inquiry, record.namespace, release);
  const of = revisions ? ` of release ${release}` : '';
  const { isGone = false, evidence = [] } = revisions ?? {};
  const because = `Helm made it for a hook${of} (${events})${isGone ? ', which does not exist any more' : ''}: uninstalling leaves it, unless its helm.sh/hook-delete-policy says otherwise`;
  return link(record, isGone ? 'left-behind' : 'kept', 'fine', because, {
    evidence,
    ...(isGone && { next: 'Nothing deletes it: delete it manually.' }),
  });
}

/** The release by which an object was installed, where it does not exist any more; undefined where it was not read. */
export function leftOfRelease(
  inquiry: Inquiry,
  record: ObjectRecord,
): { readonly because: string; readonly evidence: readonly Evidence[] } | undefined {
  const { namespace = '', name = '' } = releaseOf(record) ?? {};
  const revisions = namespace === '' ? undefined : releaseRevisions(inquiry, namespace, name);
  if (!revisions?.isGone) return undefined;
  const because = `; ${leftByRelease(record, namespace, name)}`;
  return { because, evidence: revisions.evidence };
}

/** Does no revision of a release exist? Undefined where no release can have this name. */
function releaseRevisions(
  inquiry: Inquiry,
  namespace: string,
  name: string,
): { readonly isGone: boolean; readonly evidence: readonly Evidence[] } | undefined {
  if (!isReleaseName(name)) return undefined;
  const labels = releaseLabels(name);
  const readings = stores.map((type) => inquiry.ask({ ask: 'list', type, namespace, labels }));
  return {
    isGone: readings.every((reading) => valueIn(reading)?.length === 0),
    evidence: readings.flatMap((reading) =>
      evidenceOf(reading, (list) => (list.length === 0 ? 'none' : `${list.length}`)),
    ),
  };
}
