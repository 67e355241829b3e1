import { bearerOf } from '../../controllers/finalizers/crash-loops.ts';
import { programLabels } from '../../controllers/finalizers/known-finalizer.ts';
import { podType, workloadTypes } from '../../kube/core-types.ts';
import { fieldAt, listAt, textAt } from '../../kube/field-at.ts';
import { asRecord, type KubeObject } from '../../kube/record-codec.ts';
import { type Evidence, evidenceOf, type Inquiry, notHeld, readAllWhole } from '../inquiry.ts';
import { imagesOf, readinessOf } from '../links/program-links.ts';

/** A program that runs in the cluster: a workload with a ready pod, or a pod with a running container. */
export interface RunningProgram {
  /** `Deployment shop/db-operator`. */
  readonly title: string;
  readonly namespace: string;
  readonly name: string;
  readonly serviceAccount: string;
  readonly images: readonly string[];
  /** Values of the labels by which a program is named. */
  readonly titles: readonly string[];
  /** Values of all its labels. */
  readonly labels: readonly string[];
}

/** Every program that runs, and what could not be read of them. */
export function runningPrograms(inquiry: Inquiry): {
  readonly programs: readonly RunningProgram[];
  readonly unread: readonly Evidence[];
} {
  const programs = new Map<string, RunningProgram>();
  const unread: Evidence[] = [];
  for (const type of [...workloadTypes, podType]) {
    const reading = readAllWhole(inquiry.ask({ ask: 'list', type, namespace: undefined }));
    if (reading.state === 'unread') unread.push(...evidenceOf(reading, () => ''));
    if (reading.state !== 'read') continue;
    for (const object of reading.value) {
      const isPod = type === podType;
      const runs = isPod
        ? hasRunningContainer(object)
        : readinessOf({ type, object }, inquiry.origin).ready;
      if (runs === false) continue;
      // The items of a list do not name their kind.
      const program = isPod
        ? programOf(object, bearerOf(asRecord(object, podType)), 'spec')
        : programOf(object, ownName(type.kind, object), 'spec.template.spec');
      if (runs === undefined) {
        unread.push(notHeld(program.title, reading.readAt, 'status'));
        continue;
      }
      programs.set(`${program.title} ${program.serviceAccount} ${program.images}`, program);
    }
  }
  return { programs: [...programs.values()], unread };
}

type Bearer = ReturnType<typeof bearerOf>;

function ownName(kind: string, object: KubeObject): Bearer {
  return { kind, name: textAt(object, 'metadata.name') };
}

/** `spec` is where its containers are described. */
function programOf(object: KubeObject, { kind, name }: Bearer, spec: string): RunningProgram {
  const namespace = textAt(object, 'metadata.namespace');
  const labels = Object.entries(fieldAt(object, 'metadata.labels') ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    title: `${kind} ${namespace}/${name}`,
    namespace,
    name,
    // What a pod without a name of its own gets (ServiceAccount admission).
    serviceAccount: textAt(object, `${spec}.serviceAccountName`) || 'default',
    images: imagesOf(object, spec),
    titles: labels.filter(([key]) => programLabels.includes(key)).map(([, value]) => value),
    labels: labels.map(([, value]) => value),
  };
}

/**
 * A container that waits for its restart does nothing; without container statuses, the pod may be
 * running.
 */
function hasRunningContainer(pod: KubeObject): boolean {
  if (textAt(pod, 'status.phase') !== 'Running') return false;
  const statuses = listAt(pod, 'status.containerStatuses');
  return (
    statuses.length === 0 || statuses.some((one) => fieldAt(one, 'state.running') !== undefined)
  );
}
