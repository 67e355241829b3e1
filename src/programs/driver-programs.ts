import { deleterOf, ofProvisioner } from '../controllers/volumes/volume-deleter.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { persistentVolumes } from '../kube/well-known-kinds.ts';
import {
  controllerFor,
  type FinalizerController,
  type KnownFinalizer,
  knownFinalizer,
} from './known-finalizers.ts';
import type { ProgramLife } from './program-life.ts';

const ofAttacher = 'external-attacher/';

/** The controller of a finalizer as it is for one object: each driver has its own external-provisioner and external-attacher. */
export function controllerOn(
  { setBy }: KnownFinalizer,
  finalizer: string,
  object: ObjectRecord,
): FinalizerController {
  const controller = controllerFor(setBy, object.type.group);
  if (finalizer === ofProvisioner) return provisionerOf(object) ?? controller;
  if (!finalizer.startsWith(ofAttacher)) return controller;
  const driver = finalizer.slice(ofAttacher.length);
  // SanitizeDriverName and the name of the lock, external-attacher (pkg/controller/util.go, cmd/csi-attacher/main.go).
  return ofDriver(controller, driver, [`external-attacher-leader-${driver}`]);
}

/** The external provisioner of a volume; undefined where kube-controller-manager deletes its storage, or nothing does. */
export function provisionerOf(volume: ObjectRecord): FinalizerController | undefined {
  if (groupResourceOf(volume.type) !== persistentVolumes) return undefined;
  const deleter = deleterOf(volume);
  const known = knownFinalizer(ofProvisioner, volume.type);
  if (deleter.by !== 'external' || !known) return undefined;
  const { provisioner } = deleter;
  // Its lock: of a CSI driver (sanitizeName, csi-lib-utils), and of one that uses sig-storage-lib-external-provisioner.
  const leases = [provisioner.replace(/[^a-zA-Z0-9-]/g, '-'), provisioner.replace('/', '-')];
  return ofDriver(known.setBy, provisioner, leases);
}

/** The provisioner that deletes a volume once its claim was deleted. */
export function reclaimerOf(volume: ObjectRecord): FinalizerController | undefined {
  const isDeleted = volume.facts?.persistentVolumeReclaimPolicy === 'Delete';
  return isDeleted ? provisionerOf(volume) : undefined;
}

function ofDriver(
  controller: FinalizerController,
  driver: string,
  leases: readonly string[],
): FinalizerController {
  const [program = controller.title] = controller.title.split(' of ');
  return { ...controller, title: `${program} of ${driver}`, leases };
}

/** Was all read, and nothing that looks like the program found? It may still run outside of the cluster. */
export function isNotFound({ state, programs, lease }: ProgramLife): boolean {
  return (state === 'missing' || state === 'unclear') && programs.length === 0 && !lease;
}
