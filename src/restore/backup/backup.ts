import { createHash } from 'node:crypto';
import type { Fate } from '../../deletion/plan/plan.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';

/** The newest format that is known: raised when older programs would restore wrongly from what newer ones wrote. */
export const backupFormat = 2;
/** Older programs cannot read it, others can be read by all. */
export const encryptedFormat = 2;
export const plainFormat = 1;
/** Written last: a folder without it is no whole backup. */
export const backupIndexFile = 'backup.json';

/** One object of a backup: its identity and references in the graph, and where its manifest is. */
export interface BackupEntry extends ObjectReference {
  /** The plural in the path: `deployments`. Kinds of a deleted definition cannot be discovered. */
  readonly resource: string;
  readonly namespaced: boolean;
  readonly fate: Fate;
  /** With the uids of the time of the backup. */
  readonly ownerReferences: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  /** status.phase, or the condition of a Job that has finished: `Complete`, `Failed`. */
  readonly phase?: string;
  /** It was being deleted already. Backups of earlier versions do not say. */
  readonly terminating?: boolean;
  /** Below the backup's folder, with slashes; none for an object that lives on and only loses a reference. */
  readonly file?: string;
  /**
   * Of the file as it is on the disk, in hexadecimal: it is checked without a key.
   * @pattern ^[0-9a-f]{64}$
   */
  readonly sha256?: string;
  /**
   * sha256 of the file beside it, which ends in .managers.json (.managers.json.age) and contains metadata.managedFields.
   * @pattern ^[0-9a-f]{64}$
   */
  readonly managers?: string;
}

/** An object that should be in the backup and is not. */
export interface BackupProblem {
  readonly object: ObjectReference;
  /**
   * gone: nothing is there any more; replaced: another object has its name; forbidden, unavailable,
   * unreadable: it could not be read.
   */
  readonly reason: 'gone' | 'replaced' | 'forbidden' | 'unavailable' | 'unreadable';
  readonly message: string;
}

/** The index of a backup folder. It never contains spec or data of an object. */
export interface Backup {
  readonly apiVersion: 'kubectl-gc/v1';
  readonly kind: 'Backup';
  /** Raised when older programs would restore wrongly from it: 2 is an encrypted backup. */
  readonly format: 1 | 2;
  /** All files but this one are encrypted with age; their names end in .age. */
  readonly encrypted?: true;
  /** It was made before a fix: its objects lost references or finalizers, and may live on. */
  readonly fix?: true;
  readonly cluster: { readonly server: string; readonly uid: string };
  /** RFC 3339. */
  readonly createdAt: string;
  /** Digest of the plan it was made for, also when that was not saved. */
  readonly plan: string;
  readonly objects: readonly BackupEntry[];
  /** Objects of the plan that are not in the backup. */
  readonly problems: readonly BackupProblem[];
  /**
   * What could not be read when the deletion was planned: objects of these kinds may have gone along,
   * and are not in the backup. Backups of earlier versions do not say.
   */
  readonly unread?: readonly CoverageProblem[];
}

/** A backup with the digest of all its other fields, so that an edit is noticed. */
export interface SealedBackup extends Backup {
  /**
   * Over the JSON of all other fields, without blanks.
   * @pattern ^sha256:[0-9a-f]{64}$
   */
  readonly digest: string;
}

/** Adds the digest of everything else. */
export function sealBackup<T extends object>(backup: T): T & Pick<SealedBackup, 'digest'> {
  return { ...backup, digest: `sha256:${sha256Of(JSON.stringify(backup))}` };
}

/** In hexadecimal. */
export function sha256Of(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
