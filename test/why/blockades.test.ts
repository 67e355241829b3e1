import { describe, expect, test } from 'vitest';
import { parseTargets } from '../../src/kube/type-argument.ts';
import { diagnosedOf } from '../../src/output/documents/why.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import { investigate } from '../../src/why/investigate.ts';
import { answerFromObjects } from '../support/answer-from-objects.ts';
import { blockades } from '../support/blockades.ts';
import { servedTypes } from '../support/builders.ts';

const readAt = '2026-06-01T00:00:00Z';
const lease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'kube-controller-manager', namespace: 'kube-system' },
  spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: readAt },
};
const everything = [lease, ...blockades.flatMap(({ objects }) => objects)];

/** What only a real API server refuses is left to the live tests. */
const offline = blockades.filter(
  ({ blockers }) => !blockers.some((one) => one.includes('webhook')),
);

describe.each(offline)('$name', ({ ask, state = 'stuck', blockers, fix }) => {
  test('is seen as what it is', async () => {
    const [what = '', , namespace = ''] = ask.split(' ');
    const [target] = parseTargets([what], servedTypes).targets;
    if (target?.name === undefined) throw new Error(ask);
    const subject = { type: target.type, namespace, name: target.name };
    const { finding } = await investigate(
      { types: servedTypes, serverVersion: undefined, origin: 'cluster', isCurrent: true },
      (inquiry) => diagnose(inquiry, subject),
      answerFromObjects(everything, servedTypes, readAt),
    );
    const found = diagnosedOf(finding);
    expect({
      state: found.state,
      blockers: found.blockers.map(({ object, cause }) => `${object.kind}/${object.name} ${cause}`),
      fix: found.fix?.does,
    }).toEqual({ state, blockers, fix });
  });
});
