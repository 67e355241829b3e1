import { conditionOf, textAt } from '../../kube/field-at.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { asRecord } from '../../kube/record-codec.ts';
import { further, type Link, link, type Trail, widest } from '../chain.ts';
import { removeFinalizer } from '../fix-request.ts';
import { evidenceOf, type Inquiry } from '../inquiry.ts';
import { conversionLink, isConversionFailure, rehearseDeletion } from './refusal-links.ts';

const finalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** A CustomResourceDefinition that waits for its instances (GC-66). */
export function crdLink(
  inquiry: Inquiry,
  record: ObjectRecord,
  object: KubeObject | undefined,
  trail: Trail,
): Link {
  const condition = conditionOf(object, 'Terminating');
  const told = textAt(condition, 'message');
  const details = { finalizer, rule: 'GC-66' };
  const type = inquiry.types.versions(record.name)[0];
  if (!type) {
    return link(
      record,
      'instances-left',
      'unknown',
      `${record.name} is not served, so its instances cannot be read${told && `; it says: ${told}`}`,
      details,
    );
  }
  const reading = inquiry.ask({ ask: 'list', type, namespace: undefined });
  const evidence = evidenceOf(
    reading,
    (list) =>
      `${list.length} left${told && `; condition Terminating since ${textAt(condition, 'lastTransitionTime') || 'an unknown time'}: ${told}`}`,
  );
  if (reading.state !== 'read') {
    const message = reading.state === 'unread' ? reading.message : '';
    const broken = isConversionFailure(message)
      ? [conversionLink(inquiry, record.name, message)]
      : [];
    return link(
      record,
      'instances-left',
      broken.length > 0 ? 'waiting' : 'unknown',
      `whether instances of it are left could not be read: ${message}`,
      {
        ...details,
        evidence,
        links: broken,
      },
    );
  }
  const instances = reading.value.map((one) => asRecord(one, type));
  if (instances.length === 0) {
    return link(
      record,
      'no-instances-left',
      'blocked',
      'no instance of it is left, but the API server has not removed its finalizer',
      {
        ...details,
        evidence,
        next: 'The API server does so within a minute; look at its log if not.',
        fix: removeFinalizer(record, finalizer, 'none known: no instance is left'),
      },
    );
  }
  const followed = instances.slice(0, widest).map((one) => {
    if (isBeingDeleted(one)) return trail.follow(one, further(trail, one));
    const { refusal, evidence: dryRun } = rehearseDeletion(inquiry, one);
    return link(one, 'object-left', refusal ? 'waiting' : 'blocked', 'it is not being deleted', {
      evidence: dryRun,
      links: refusal ? [refusal] : [],
      next: refusal ? '' : 'The API server deletes it on its next try.',
    });
  });
  return link(
    record,
    'instances-left',
    'waiting',
    `${finalizer} waits for ${instances.length} ${instances.length === 1 ? 'instance' : 'instances'} of it`,
    { ...details, evidence, links: followed },
  );
}
