import type { Restoration, RestoredObject } from '../../src/restore/plan/restoration.ts';
import type { Run } from '../support/command-line.ts';

/** What `restore` made of a backup. */
export interface Restored {
  /** uids of what is there now. */
  readonly there: readonly string[];
  /** Made again by its own controller, so that `restore` leaves it out. */
  readonly skipped: number;
  readonly faults: readonly string[];
}

/**
 * Restores all of a backup, and looks at what was gone; what has lost its owners for good is restored
 * without them.
 */
export async function restoreBackup(
  directory: string,
  isGone: (uid: string) => boolean,
  gc: (line: string) => Promise<Run>,
): Promise<Restored> {
  const result = ({ objects }: Restoration) => restored(objects.filter(({ uid }) => isGone(uid)));
  const first = await restore(`restore ${directory} --yes -o json`, gc);
  if (typeof first === 'string') return failed(first);
  if (!first.objects.some(hasNoOwner)) return result(first);
  const second = await restore(`restore ${directory} --without-owners --yes -o json`, gc);
  if (typeof second === 'string') return failed(second);
  const { there } = result(first);
  const both = result(second);
  return { ...both, there: [...new Set([...there, ...both.there])] };
}

async function restore(
  line: string,
  gc: (line: string) => Promise<Run>,
): Promise<Restoration | string> {
  const { code, stdout, stderr } = await gc(line);
  if (code === 0 || code === 4) return JSON.parse(stdout) as Restoration;
  return `${line}: exit code ${code}: ${stderr}`;
}

function failed(fault: string): Restored {
  return { there: [], skipped: 0, faults: [fault] };
}

const present: ReadonlySet<string> = new Set(['created', 'relinked', 'patched', 'exists']);

function restored(objects: readonly RestoredObject[]): Restored {
  const isThere = ({ action, outcome }: RestoredObject) => present.has(outcome ?? action);
  const wrong = objects.filter(
    (object) => !isThere(object) && object.action !== 'skip' && !isImpossible(object),
  );
  return {
    there: objects.flatMap((one) => (isThere(one) && one.newUid ? one.newUid : [])),
    skipped: objects.filter(({ action }) => action === 'skip').length,
    faults: wrong.map(
      ({ kind, name, action, outcome, because, message }) =>
        `${kind} ${name}: not restored: ${outcome ?? action}: ${message ?? because}`,
    ),
  };
}

function hasNoOwner({ action, references }: RestoredObject): boolean {
  return action === 'cannot' && references.some(({ change }) => change === 'dropped');
}

/** What cannot come back, as its documentation says: Nodes, and volumes whose storage is gone. */
function isImpossible({ action, kind, because }: RestoredObject): boolean {
  if (action !== 'cannot') return false;
  return kind === 'Node' || (kind === 'PersistentVolume' && because.includes('policy is Delete'));
}
