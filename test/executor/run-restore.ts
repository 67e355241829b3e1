import { keyOf, type SavedObject } from '../../src/backup/saved-object.ts';
import { type RestoreRunOptions, restore } from '../../src/executor/restore.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { plan } from '../backup/saved.ts';
import { patience } from '../sources/cluster/fake-client.ts';
import { servedTypes } from '../support/builders.ts';
import type { FakeApi } from './fake-api.ts';

/** Restores and answers `name: outcome message` of each object that was to be done. */
export async function run(
  objects: readonly SavedObject[],
  api: FakeApi,
  options: Partial<RestoreRunOptions> & { readonly there?: readonly KubeObject[] } = {},
): Promise<string[]> {
  const { there = [], ...rest } = options;
  const planned = plan(objects, { there });
  const results = await restore(planned, api, servedTypes, {
    dryRun: false,
    retry: patience(),
    ...rest,
  });
  return planned.flatMap((one) => {
    const result = results.get(keyOf(one.saved));
    const message = result?.message === undefined ? '' : ` ${result.message}`;
    return result ? `${one.saved.name}: ${result.outcome}${message}` : [];
  });
}
