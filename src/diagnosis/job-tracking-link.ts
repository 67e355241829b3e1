import type { ObjectRecord } from '../kube/object-record.ts';
import { controllerManagerLink } from './controller-manager-link.ts';
import { jobType } from './core-types.ts';
import { evidenceOf } from './evidence.ts';
import { removeFinalizer } from './fix-step.ts';
import type { Inquiry } from './inquiry.ts';
import { type Link, link } from './link.ts';
import { asRecord } from './seen-object.ts';

const finalizer = 'batch.kubernetes.io/job-tracking';

/** job-tracking on a pod: its Job counts it, unless there is none any more. */
export function jobTrackingLink(inquiry: Inquiry, pod: ObjectRecord): Link {
  const manager = controllerManagerLink(inquiry, 'Job controller');
  const isDown = manager.state === 'blocked';
  const owner = pod.ownerReferences.find(({ kind }) => kind === 'Job');
  const labelled = pod.labels?.['batch.kubernetes.io/job-name'] ?? pod.labels?.['job-name'];
  const name = owner?.name ?? labelled;
  const details = { finalizer, rule: 'SIM-6' };
  const job =
    name === undefined
      ? undefined
      : inquiry.ask({ ask: 'object', type: jobType, namespace: pod.namespace, name });
  const evidence = job
    ? evidenceOf(job, (found) =>
        found ? `exists, uid ${asRecord(found, jobType).uid}` : 'does not exist',
      )
    : [];
  if (job?.state === 'read' && job.value) {
    return link(
      pod,
      'job-tracking',
      isDown ? 'waiting' : 'blocked',
      `${finalizer} waits until the Job controller has counted the pod for Job ${name}`,
      {
        ...details,
        evidence,
        links: [manager],
        next: `Look at the status of Job ${name} (uncountedTerminatedPods).`,
      },
    );
  }
  if (job && job.state !== 'read') {
    return link(
      pod,
      'job-tracking',
      'unknown',
      `${finalizer} waits for Job ${name}, which could not be read`,
      { ...details, evidence, links: [manager] },
    );
  }
  return link(
    pod,
    'job-tracking',
    isDown ? 'waiting' : 'blocked',
    `${finalizer} is left over: ${name === undefined ? 'the pod belongs to no Job' : `its Job ${name} does not exist any more`}`,
    {
      ...details,
      evidence,
      links: [manager],
      next: 'The Job controller takes it off by itself when it runs; otherwise take it off.',
      fix: isDown
        ? undefined
        : removeFinalizer(pod, finalizer, 'none known: no Job counts this pod any more'),
    },
  );
}
