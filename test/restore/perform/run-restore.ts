import { locationKey } from '../../../src/kube/object-reference.ts';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import type { ResourceTypes } from '../../../src/kube/resource-types.ts';
import type { SavedObject } from '../../../src/restore/backup/saved-object.ts';
import { type RestoreRunOptions, restore } from '../../../src/restore/perform/restore.ts';
import { patience } from '../../cluster/fake-client.ts';
import type { FakeApi } from '../../perform/send/fake-api.ts';
import { servedTypes } from '../../support/builders.ts';
import { clearanceFor } from '../../support/cleared.ts';
import { plan } from '../saved.ts';

/** Restores and answers `name: outcome message` of each object that was to be done. */
export async function run(
  objects: readonly SavedObject[],
  api: FakeApi,
  options: Partial<Omit<RestoreRunOptions, 'dryRun' | 'clearance'>> & {
    readonly dryRun?: true;
    readonly there?: readonly KubeObject[];
    readonly absent?: readonly string[];
    readonly types?: ResourceTypes;
  } = {},
): Promise<string[]> {
  const { there = [], absent = [], types = servedTypes, dryRun, ...rest } = options;
  const planned = plan(objects, { there, absent, types });
  const results = await restore(planned, api, types, {
    ...(dryRun ? { dryRun } : { dryRun: false, clearance: clearanceFor(planned) }),
    retry: patience(),
    ...rest,
  });
  return planned.flatMap((one) => {
    const result = results.get(locationKey(one.saved));
    const message = result?.message === undefined ? '' : ` ${result.message}`;
    return result ? `${one.saved.name}: ${result.outcome}${message}` : [];
  });
}
