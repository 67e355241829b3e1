import { allControllers } from '../../controllers/registry.ts';
import { usageError } from '../../errors.ts';

/** Why some collectors' work is more than requests that anybody may send. */
const notByHand: Readonly<Record<string, string>> = {
  'persistentvolume-reclaim': 'it removes the storage itself before the volume',
  'node-lifecycle': 'it watches heartbeats and keeps timers that nobody else sees',
  'cloud-node': 'it asks the cloud which machines are there',
  resourceclaim: 'it frees devices in several steps that drivers take part in',
  'node-lease': 'it deletes nothing',
  'ephemeral-volume': 'it deletes nothing',
  'missing-node': 'nobody collects that',
  'image-gc': 'the kubelet does it on its own disk',
  'container-gc': 'the kubelet does it on its own disk',
  namespace: 'it empties the namespace, kind by kind',
};

export const ownerCollector = 'garbage-collector';

/** Collectors whose work is a delete or patch by API. */
const applicable: readonly string[] = [
  ownerCollector,
  ...allControllers.map(({ id }) => id).filter((id) => !(id in notByHand)),
];

/** Refuses collectors whose work cannot be done by hand, and to do everybody's at once. */
export function applicableCollectors(given: readonly string[] | undefined): ReadonlySet<string> {
  const possible = `Possible are: ${applicable.join(', ')}.`;
  if (given === undefined) {
    throw usageError(
      'no-collector',
      '--apply needs --collector: whose work is to be done',
      possible,
    );
  }
  const ids = new Set(given.flatMap((list) => list.split(',')));
  for (const id of ids) {
    if (applicable.includes(id)) continue;
    const why = notByHand[id];
    throw why === undefined
      ? usageError('unknown-collector', `--collector "${id}" is not a collector`, possible)
      : usageError('not-by-hand', `the work of ${id} cannot be done by hand: ${why}`, possible);
  }
  return ids;
}
