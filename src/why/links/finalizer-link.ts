import { controllerFor, knownFinalizer } from '../../controllers/finalizers/known-finalizers.ts';
import { lifeInWords } from '../../controllers/finalizers/program-life.ts';
import { FOREGROUND, isBeingDeleted, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { finalizerFieldManager } from '../../kube/record-codec.ts';
import { timestampOf } from '../../kube/time.ts';
import { conditionOf } from '../../kube/well-known-kinds.ts';
import { type Link, link, type Trail, widest } from '../chain.ts';
import { removeFinalizer } from '../fix-request.ts';
import { type AskedObject, type Evidence, evidenceOf, type Inquiry } from '../inquiry.ts';
import { lossOf, removalOf } from '../programs/finalizer-removal.ts';
import { foregroundLink, orphanLink } from './dependents-links.ts';
import { jobTrackingLink } from './pod-links.ts';
import { controllerNamed, managerLink, programOf } from './program-links.ts';
import {
  conversionLink,
  isConversionFailure,
  rehearseDeletion,
  rehearseRemoval,
} from './refusal-links.ts';
import { attachmentLinks, claimLink, volumeLink } from './volume-links.ts';

/** What one finalizer waits for. */
export function finalizerLink(
  inquiry: Inquiry,
  record: AskedObject,
  finalizer: string,
  trail: Trail,
): Link {
  switch (finalizer) {
    case FOREGROUND:
      return foregroundLink(inquiry, record, trail);
    case ORPHAN:
      return orphanLink(inquiry, record);
    case 'kubernetes.io/pvc-protection':
      return claimLink(inquiry, record, trail);
    case 'kubernetes.io/pv-protection':
      return volumeLink(inquiry, record, trail);
    case 'customresourcecleanup.apiextensions.k8s.io':
      return crdLink(inquiry, record, trail);
    case 'batch.kubernetes.io/job-tracking':
      return jobTrackingLink(inquiry, record);
    default: {
      const held = foreignFinalizer(inquiry, record, finalizer);
      if (!finalizer.startsWith('external-attacher/') || record.type.kind !== 'PersistentVolume')
        return held;
      return { ...held, links: [...held.links, ...attachmentLinks(inquiry, record, trail)] };
    }
  }
}

/** Field managers of people and libraries, which do not identify a program. */
const anonymous = /^(kubectl|manager|controller|Go-http-client|unknown|curl|before-first-apply)/;

function foreignFinalizer(inquiry: Inquiry, record: AskedObject, finalizer: string): Link {
  const known = knownFinalizer(finalizer);
  const writer = finalizerFieldManager(record.managedFields, finalizer);
  const { evidence: dryRun, refusal } = rehearseRemoval(inquiry, record, finalizer);
  const isShown = inquiry.origin === 'cluster' || record.managedFields !== undefined;
  const value = writer
    ? `${finalizer} was set by ${writer.manager} at ${writer.time}`
    : `no field manager is recorded for ${finalizer}`;
  const what = `managedFields of ${record.type.kind}/${record.name}`;
  const written: Evidence[] =
    writer || isShown ? [{ what, readAt: timestampOf(inquiry.now), value }] : [];
  const protects = known ? `; it protects ${known.protects}` : '';
  const details = { finalizer, rule: 'GC-41' };

  if (known?.setBy.runsIn === 'kube-controller-manager') {
    const manager = managerLink(inquiry, known.setBy);
    const because = `${finalizer} is removed by the ${known.setBy.title} when ${known.removedWhen}${protects}`;
    const isDown = manager.state === 'blocked';
    const cause = isDown ? manager.cause : 'finalizer-controller-running';
    return link(record, cause, refusal || isDown ? 'blocked' : 'waiting', because, {
      ...details,
      evidence: [...written, ...dryRun],
      links: refusal ? [refusal, manager] : [manager],
    });
  }
  const controller = known
    ? controllerFor(known.setBy, record.type.group)
    : writer && !anonymous.test(writer.manager)
      ? controllerNamed(writer.manager)
      : undefined;
  const program = controller && programOf(inquiry, controller);
  const life = program?.life.state;
  const who = controller?.title ?? writer?.manager ?? 'an unknown program';
  const lives = program ? lifeInWords(who, program.life) : '';
  const evidence = [...written, ...(program?.evidence ?? []), ...dryRun];
  const links = refusal ? [refusal] : [];

  if (life === 'runs') {
    const because = `${finalizer}: ${lives}${known ? ` and removes it when ${known.removedWhen}` : ''}`;
    return link(record, 'finalizer-controller-running', refusal ? 'blocked' : 'waiting', because, {
      ...details,
      evidence,
      links,
      next: `Look at the logs of ${who} and at the events of ${record.type.kind}/${record.name}.`,
    });
  }
  if (life === 'unread' || life === 'unclear') {
    const because = `${finalizer} is set by ${who}${protects}; ${lives}`;
    return link(record, 'finalizer-controller-unknown', 'unknown', because, {
      ...details,
      evidence,
      links,
      next: `Look whether ${who} runs.`,
    });
  }
  const removal = removalOf(inquiry, record, finalizer, known !== undefined);
  const isDown = life === 'down';
  const cause = isDown ? 'finalizer-controller-down' : 'finalizer-controller-missing';
  const origin = program
    ? `${finalizer} is set by ${who}${protects}; ${lives}`
    : `${finalizer} is in no list of known finalizers, and ${writer ? `it was set by hand or by a program that does not name itself (${writer.manager})` : 'it is unknown who set it'}`;
  const because = [removal.running ?? origin, ...removal.reasons].join('; ');
  return link(
    record,
    removal.verdict === 'unknown' ? 'finalizer-controller-unknown' : cause,
    removal.verdict === 'unknown' ? 'unknown' : 'blocked',
    because,
    {
      ...details,
      evidence: [...evidence, ...removal.evidence],
      links,
      fix:
        removal.verdict === 'removable' && !refusal
          ? removeFinalizer(record, finalizer, lossOf(finalizer))
          : undefined,
      ...(removal.command && { command: removal.command }),
      next:
        removal.next ??
        (program
          ? isDown
            ? `Bring ${who} back: it then cleans up and removes the finalizer.`
            : `Install ${who} again and let it clean up, or remove the finalizer and clean up by hand.`
          : `Find out which program removes ${finalizer}${groupHint(inquiry, finalizer)}. Remove it by hand only when you know that it is gone for good.`),
    },
  );
}

/** The kinds that a finalizer's domain serves, by which its program may be found. */
function groupHint(inquiry: Inquiry, finalizer: string): string {
  const domain = finalizer.split('/')[0] ?? '';
  const group = inquiry.types.all.find(
    (type) =>
      type.group.includes('.') && (domain === type.group || domain.endsWith(`.${type.group}`)),
  )?.group;
  return group === undefined
    ? ''
    : ` (its domain serves ${group}, so look for the operator of that API)`;
}

const finalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** A CustomResourceDefinition that waits for its instances (GC-66). */
function crdLink(inquiry: Inquiry, record: ObjectRecord, trail: Trail): Link {
  const { message: told = '', lastTransitionTime } = conditionOf(record, 'Terminating') ?? {};
  const details = { finalizer, rule: 'GC-66' };
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
    const broken = isConversionFailure(message)
      ? [conversionLink(inquiry, record.name, message)]
      : [];
    const because = `whether instances of it are left could not be read: ${message}`;
    return link(record, 'instances-left', broken.length > 0 ? 'waiting' : 'unknown', because, {
      ...details,
      evidence,
      links: broken,
    });
  }
  const instances = reading.value;
  if (instances.length === 0) {
    const because = 'no instance of it is left, but the API server has not removed its finalizer';
    return link(record, 'no-instances-left', 'blocked', because, {
      ...details,
      evidence,
      next: 'The API server does so within a minute; look at its log if not.',
      fix: removeFinalizer(record, finalizer, 'none known: no instance is left'),
    });
  }
  const followed = instances.slice(0, widest).map((one) => {
    if (isBeingDeleted(one)) return trail.follow(one);
    const { refusal, evidence: dryRun } = rehearseDeletion(inquiry, one);
    return link(one, 'object-left', refusal ? 'waiting' : 'blocked', 'it is not being deleted', {
      evidence: dryRun,
      links: refusal ? [refusal] : [],
      next: refusal ? '' : 'The API server deletes it on its next try.',
    });
  });
  const because = `${finalizer} waits for ${instances.length} ${instances.length === 1 ? 'instance' : 'instances'} of it`;
  return link(record, 'instances-left', 'waiting', because, {
    ...details,
    evidence,
    links: followed,
  });
}
