import { isConversionFailure } from '../../cluster/unlistable.ts';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { CRD_CLEANUP, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { conditionOf } from '../../kube/well-known-kinds.ts';
import { failuresOf, reportInWords } from '../../programs/reports.ts';
import { type Link, link, type Trail, widest } from '../chain.ts';
import { removeFinalizer } from '../fix-request.ts';
import { evidenceOf, type Inquiry } from '../inquiry.ts';
import { conversionLink, judgeLink } from './refusal-links.ts';
import { rehearseDeletion } from './rehearsals.ts';

const details = { finalizer: CRD_CLEANUP, rule: 'GC-66' };

/** A CustomResourceDefinition that waits for its instances (GC-66). */
export function definitionLink(inquiry: Inquiry, record: ObjectRecord, trail: Trail): Link {
  const { message: told = '', lastTransitionTime } = conditionOf(record, 'Terminating') ?? {};
  const type = inquiry.types.versions(record.name)[0];
  if (!type) {
    const because = `${record.name} is not served, so its instances cannot be read${told && `; it says: ${told}`}`;
    return link(record, 'instances-left', 'unknown', because, details);
  }
  const reading = inquiry.ask({ ask: 'list', type, namespace: undefined });
  const evidence = evidenceOf(
    reading,
    (list) =>
      `${list.length} left${told && `; condition Terminating since ${lastTransitionTime ?? 'an unknown time'}: ${told}`}`,
  );
  if (reading.state !== 'read') {
    const message = reading.state === 'unread' ? reading.message : '';
    const because = `whether instances of it are left could not be read: ${message}`;
    return unlisted(inquiry, record, because, message, evidence);
  }
  const instances = reading.value;
  if (instances.length === 0) return withoutInstances(inquiry, record, evidence);
  const followed = instances.slice(0, widest).map((one) => {
    if (isBeingDeleted(one)) return trail.follow(one);
    const { refusal, evidence: dryRun } = rehearseDeletion(inquiry, one);
    return link(one, 'object-left', refusal ? 'waiting' : 'blocked', 'it is not being deleted', {
      evidence: dryRun,
      links: refusal ? [refusal] : [],
      next: refusal ? '' : 'The API server deletes it on its next try.',
    });
  });
  const because = `${CRD_CLEANUP} waits for ${instances.length} ${instances.length === 1 ? 'instance' : 'instances'} of it`;
  return link(record, 'instances-left', 'waiting', because, {
    ...details,
    evidence,
    links: followed,
  });
}

/**
 * None is listed. Where the API server itself could not list or delete them, they are in etcd all the same, and are served
 * again with the next definition of that name.
 */
function withoutInstances(
  inquiry: Inquiry,
  record: ObjectRecord,
  evidence: Link['evidence'],
): Link {
  const [failure] = failuresOf(record);
  if (failure) {
    const because = `whether instances of it are left is unknown: ${reportInWords(failure, inquiry.now)}`;
    return unlisted(inquiry, record, because, failure.message, evidence);
  }
  const because = 'no instance of it is left, but the API server has not removed its finalizer';
  return link(record, 'no-instances-left', 'blocked', because, {
    ...details,
    evidence,
    next: 'The API server does so within a minute; look at its log if not.',
    // Of a dump, instances that could not be listed are missing, too.
    fix:
      inquiry.origin === 'files'
        ? undefined
        : removeFinalizer(record, CRD_CLEANUP, 'none known: the API server lists no instance'),
  });
}

/** `message`: why the instances could not be listed or deleted. */
function unlisted(
  inquiry: Inquiry,
  record: ObjectRecord,
  because: string,
  message: string,
  evidence: Link['evidence'],
): Link {
  const broken = isConversionFailure(message)
    ? conversionLink(inquiry, record.name, message)
    : judgeLink(inquiry, message);
  return link(record, 'instances-left', broken ? 'waiting' : 'unknown', because, {
    ...details,
    evidence,
    links: broken ? [broken] : [],
    ...(!broken &&
      inquiry.origin === 'files' && {
        command: suggested('To see them', shellCommand`kubectl get ${record.name} -A`),
      }),
  });
}
