import { Clearance, type ClearedWrite, rehearsal } from '../../src/cluster/write/clearance.ts';
import { DryRunServer } from '../../src/cluster/write/dry-run-server.ts';
import type { WriteRequest } from '../../src/cluster/write/write-request.ts';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { restoredPaths } from '../../src/restore/perform/restore.ts';
import type { PlannedRestoration } from '../../src/restore/plan/restoration.ts';

/** What a test may send where it is not about who clears it. */
export const controllerClearance = Clearance.grant('controller', { server: 'a test' });

const builtIn = await DryRunServer.behind('/api/v1/pods', async () => undefined);

/** The request, cleared; a dry run of a built-in kind as one. */
export function cleared(write: WriteRequest): ClearedWrite {
  if (!write.dryRun) return controllerClearance.covers(write);
  if (!builtIn) throw new Error('kube-apiserver heeds dry runs');
  return rehearsal(write, builtIn);
}

/** The clearance of a plan that was agreed to. */
export function clearanceOf({ requests }: Pick<Plan, 'requests'>): Clearance<'deletion'> {
  const uids = requests.map(({ uid }) => uid);
  return Clearance.grant('deletion', { uids, refusals: [], agreed: 'flag', saved: 'declined' });
}

/** The clearance of a restoration of these objects. */
export function clearanceFor(planned: readonly PlannedRestoration[]): Clearance<'restoration'> {
  return Clearance.grant('restoration', { paths: restoredPaths(planned), agreed: 'flag' });
}
