import { protections } from '../../controllers/finalizers/protection.ts';
import { attachmentType, budgetType, podType, volumeType } from '../../kube/core-types.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { matchesSelector } from '../../kube/label-selector.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { nodeNameOf } from '../../kube/pod-use.ts';
import { isNode, isPodTerminal } from '../../kube/well-known-kinds.ts';
import { type Link, link, type Trail, widest } from '../chain.ts';
import { isLate } from '../deletion-age.ts';
import {
  type Evidence,
  evidenceOf,
  type Inquiry,
  listEverywhere,
  presence,
  type Reading,
  seenIn,
} from '../inquiry.ts';
import { removalCommand } from '../programs/finalizer-removal.ts';
import { attachedLink, attachedYet, attachmentLinks } from './volume-links.ts';
import {
  applicationSetLinks,
  contentLinks,
  issuerLinks,
  machineLinks,
  usageLinks,
  userLinks,
} from './waits-on-objects.ts';

type WaitLinks = (
  inquiry: Inquiry,
  record: ObjectRecord,
  finalizer: string,
  trail: Trail,
) => Link[];

const linksByFinalizer: ReadonlyMap<string, WaitLinks> = new Map<string, WaitLinks>([
  [
    'external-provisioner.volume.kubernetes.io/finalizer',
    (inquiry, record, finalizer) =>
      record.type.kind === 'PersistentVolume'
        ? [...retainedLinks(inquiry, record, finalizer), ...stillAttached(inquiry, record)]
        : [],
  ],
  [
    'resources-finalizer.argocd.argoproj.io',
    (inquiry, record, finalizer) => {
      const { kind } = record.type;
      if (kind === 'ApplicationSet') return applicationSetLinks(inquiry, record, finalizer);
      return kind === 'AppProject' ? projectLinks(inquiry, record) : [];
    },
  ],
  ['in-use.crossplane.io', (inquiry, record, _, trail) => usageLinks(inquiry, record, trail)],
  [
    'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection',
    (inquiry, record, _, trail) => contentLinks(inquiry, record, trail),
  ],
  ['acme.cert-manager.io/finalizer', issuerLinks],
  ['finalizer.acme.cert-manager.io', issuerLinks],
  ['karpenter.sh/termination', drainLinks],
  [
    'workflows.argoproj.io/status',
    (inquiry, record, finalizer) =>
      missingOwners(inquiry, record, finalizer, ['Workflow'], (owner) => [
        'fine',
        `${owner}, which needs the status of this pod, does not exist any more`,
      ]),
  ],
]);

/** What the program of a listed finalizer waits for on this object, or does not do for it, where that is known. */
export function waitLinks(...[inquiry, record, finalizer, trail]: Parameters<WaitLinks>): Link[] {
  const own = finalizer.startsWith('external-attacher/')
    ? attacherLinks
    : linksByFinalizer.get(finalizer);
  if (own) return own(inquiry, record, finalizer, trail);
  const protection = protections.find((one) => one.finalizer === finalizer);
  if (protection) return userLinks(inquiry, record, protection, trail);
  return isOfClusterApi(finalizer) ? clusterApiLinks(inquiry, record, finalizer, trail) : [];
}

function attacherLinks(...[inquiry, record, finalizer, trail]: Parameters<WaitLinks>): Link[] {
  const { kind } = record.type;
  if (kind === 'PersistentVolume') return attachmentLinks(inquiry, record, trail);
  return kind === 'VolumeAttachment' ? detachmentLinks(inquiry, record, finalizer) : [];
}

function clusterApiLinks(...[inquiry, record, finalizer, trail]: Parameters<WaitLinks>): Link[] {
  return [
    ...missingOwners(inquiry, record, finalizer, ['Cluster', 'Machine'], (owner) => [
      'blocked',
      `its owner ${owner} does not exist, and the Cluster API controllers read it before they remove the finalizer`,
    ]),
    ...machineLinks(inquiry, record, trail),
  ];
}

/** `machinepool.cluster.x-k8s.io`, `infrastructure.cluster.x-k8s.io/hcloudmachine` */
function isOfClusterApi(finalizer: string): boolean {
  return finalizer.split('/')[0]?.endsWith('cluster.x-k8s.io') === true;
}

/** Owners of these kinds that were looked for and do not exist. */
function missingOwners(
  inquiry: Inquiry,
  record: ObjectRecord,
  finalizer: string,
  kinds: readonly string[],
  said: (owner: string) => readonly [state: Link['state'], because: string],
): Link[] {
  return record.ownerReferences.flatMap(({ apiVersion, kind, name }) => {
    const type = kinds.includes(kind) ? inquiry.types.find(apiVersion, kind) : undefined;
    if (!type) return [];
    const { namespace } = record;
    const reading = inquiry.ask({ ask: 'object', type, namespace, name });
    if (reading.state !== 'read' || reading.value) return [];
    const [state, because] = said(`${kind} ${name}`);
    return link(record, 'owner-missing', state, because, {
      finalizer,
      evidence: presence(reading),
      next:
        state === 'blocked'
          ? `Recreate ${kind} ${name}, or delete at the cloud what ${record.type.kind} ${record.name} stands for, and remove the finalizer then.`
          : '',
    });
  });
}

/** The volume that an attachment names has to be there to be detached. */
function detachmentLinks(inquiry: Inquiry, attachment: ObjectRecord, finalizer: string): Link[] {
  const { persistentVolumeName: name, nodeName } = attachment.facts?.attachment ?? {};
  if (name === undefined) return [];
  const volume = inquiry.ask({ ask: 'object', type: volumeType, namespace: '', name });
  if (volume.state !== 'read' || volume.value) return [];
  const because = `PersistentVolume ${name}, which it names, does not exist, and the external-attacher reads it to detach the volume`;
  return [
    link(attachment, 'volume-attached', 'blocked', because, {
      rule: 'ATT-1',
      finalizer,
      evidence: presence(volume),
      next: `Make sure that the volume is detached from Node ${nodeName}.`,
      command: removalCommand('Once it is detached', attachment, finalizer),
    }),
  ];
}

/** The external-provisioner deletes the storage of a volume with policy Delete, and removes its finalizer then. */
function retainedLinks(inquiry: Inquiry, volume: ObjectRecord, finalizer: string): Link[] {
  const policy = volume.facts?.persistentVolumeReclaimPolicy;
  if (policy === undefined || policy === 'Delete') return [];
  const { type, name } = volume;
  const reading = inquiry.ask({ ask: 'object', type, namespace: '', name });
  const because = `its reclaim policy is ${policy}: the external-provisioner removes the finalizer when it has deleted the storage, which it does with policy Delete alone; a recent version also removes it by itself, an old one never`;
  return [
    link(volume, 'volume-retained', 'blocked', because, {
      rule: 'PV-10',
      finalizer,
      evidence: evidenceOf(reading, () => `persistentVolumeReclaimPolicy ${policy}`),
      next: 'To delete the storage, set the reclaim policy to Delete.',
      command: removalCommand('To keep the storage', volume, finalizer),
    }),
  ];
}

/** What attaches a volume whose storage is to be deleted; with the finalizer of the attacher, that one leads there. */
function stillAttached(inquiry: Inquiry, volume: ObjectRecord): Link[] {
  const { phase, persistentVolumeReclaimPolicy: policy } = volume.facts ?? {};
  const hasAttacher = volume.finalizers.some((one) => one.startsWith('external-attacher/'));
  return hasAttacher || phase === 'Bound' || policy !== 'Delete'
    ? []
    : attachedYet(inquiry, volume);
}

/** Argo CD keeps an AppProject while an Application refers to it (finalizeProjectDeletion, controller/appcontroller.go). */
function projectLinks(inquiry: Inquiry, project: ObjectRecord): Link[] {
  const type = inquiry.types.ofKind(project.type.group, 'Application');
  if (!type) return [];
  const reading = listEverywhere(inquiry, type);
  const using = seenIn(reading).filter(({ facts }) => facts?.project === project.name);
  return [
    ...using.slice(0, widest).map((application) =>
      link(
        application,
        'in-use',
        isBeingDeleted(application) ? 'waiting' : 'blocked',
        `it refers to the project ${project.name}`,
        {
          evidence: evidenceOf(
            reading,
            () => `${counted(using.length, 'Application')} refer to it`,
          ),
          next: `Delete Application ${application.name}, or move it to another project.`,
        },
      ),
    ),
    ...unreadLinks(project, 'which Applications refer to it', reading),
  ];
}

/** Karpenter drains a Node and waits for its volumes before it terminates the machine. */
function drainLinks(inquiry: Inquiry, record: ObjectRecord): Link[] {
  const node = isNode(record) ? record.name : record.facts?.claimedNode;
  if (node === undefined) return [];
  const pods = listEverywhere(inquiry, podType);
  const budgets = listEverywhere(inquiry, budgetType);
  const attachments = seenIn(listEverywhere(inquiry, attachmentType));
  const left = seenIn(pods).filter((pod) => nodeNameOf(pod) === node && isDrained(pod));
  const evidence = evidenceOf(
    pods,
    () => `${counted(left.length, 'pod')} to evict on Node ${node}`,
  );
  // A budget refuses an eviction for a while as long as its other pods are not ready.
  const state = isLate(record, inquiry.now) ? 'blocked' : 'waiting';
  return [
    ...left.flatMap((pod) => keptLink(pod, state, budgets, evidence)).slice(0, widest),
    ...attachments
      .filter(({ facts }) => facts?.attachment?.nodeName === node)
      .slice(0, widest)
      .map((one) => attachedLink(inquiry, one)),
    ...unreadLinks(record, `which pods Node ${node} has`, pods),
  ];
}

/** Pods of DaemonSets and of the kubelet itself stay, and one that has ended needs no eviction. */
function isDrained(pod: ObjectRecord): boolean {
  const owners = pod.ownerReferences.map(({ kind }) => kind);
  return !isPodTerminal(pod) && !owners.includes('DaemonSet') && !owners.includes('Node');
}

/** What keeps a pod from being evicted. */
function keptLink(
  pod: ObjectRecord,
  state: Link['state'],
  budgets: Reading<readonly ObjectRecord[]>,
  evicted: readonly Evidence[],
): Link[] {
  if (pod.annotations?.[doNotDisrupt] === 'true') {
    const because = `its annotation ${doNotDisrupt} keeps Karpenter from evicting it`;
    const next = 'Remove the annotation, or delete the pod when it has done its work.';
    return [link(pod, 'in-use', state, because, { evidence: evicted, next })];
  }
  const budget = seenIn(budgets).find(
    ({ namespace, facts: { podSelector, disruptionsAllowed = 0 } = {} }) =>
      namespace === pod.namespace &&
      disruptionsAllowed === 0 &&
      matchesSelector(podSelector, pod.labels),
  );
  if (!budget) return [];
  const evidence = [
    ...evicted,
    ...evidenceOf(budgets, () => `${budget.name} allows 0 disruptions`),
  ];
  const next = 'Give its pods more replicas, or let the budget allow one disruption.';
  return [
    link(budget, 'in-use', state, `it allows no eviction of Pod ${pod.name}`, { evidence, next }),
  ];
}

const doNotDisrupt = 'karpenter.sh/do-not-disrupt';

/** What the program waits for could not be read in full: it is unknown whether it will end. */
function unreadLinks(record: ObjectRecord, what: string, reading: Reading<unknown>): Link[] {
  if (reading.state === 'read') return [];
  const because = `${what} could not be read`;
  return [link(record, 'in-use', 'fine', because, { evidence: evidenceOf(reading, () => '') })];
}
