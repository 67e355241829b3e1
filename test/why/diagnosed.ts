import { parseTargets } from '../../src/command-line/type-argument.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Link } from '../../src/why/chain.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import type { Answer, Query } from '../../src/why/inquiry.ts';
import { investigate } from '../../src/why/investigate.ts';
import { answerFromObjects } from '../support/answer-from-objects.ts';
import { servedTypes } from '../support/builders.ts';
import { kube } from '../support/kube.ts';

export const readAt = '2026-06-01T00:00:00Z';

/** A cluster of which everything can be asked. */
export const asked = {
  types: servedTypes,
  serverVersion: undefined,
  origin: 'cluster',
  isCurrent: true,
} as const;

/** What `why` finds of `pvc/data -n shop` on a cluster that holds these objects; `answer` comes first. */
export async function diagnosed(
  line: string,
  objects: readonly KubeObject[],
  answer: (query: Query) => Answer | undefined = () => undefined,
): Promise<Link> {
  const [what = '', , namespace = ''] = line.split(' ');
  const [target] = parseTargets([what], servedTypes).targets;
  if (target?.name === undefined) throw new Error(line);
  const subject = { type: target.type, namespace, name: target.name };
  const known = answerFromObjects(objects, servedTypes, readAt);
  const { finding } = await investigate(
    asked,
    (inquiry) => diagnose(inquiry, subject),
    async (query) => answer(query) ?? known(query),
  );
  return finding;
}

/** A Lease of `kube-system` that is held; that of the controller manager where no name is given. */
export const leaseOf = (renewTime: string, name = 'kube-controller-manager'): KubeObject => {
  const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime };
  return kube(`coordination.k8s.io/v1 Lease ${name}`, { namespace: 'kube-system' }, { spec });
};
