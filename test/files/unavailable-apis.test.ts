import { expect, test } from 'vitest';
import { kube } from '../support/kube.ts';
import { showFile } from './temp-folder.ts';

const ending = (message: string, status = 'True') =>
  kube(
    'v1 Namespace shop',
    { namespace: undefined, deletionTimestamp: '2026-01-01T00:00:00Z' },
    { status: { conditions: [{ type: 'NamespaceDeletionDiscoveryFailure', status, message }] } },
  );
const stale = 'stale GroupVersion discovery: metrics.k8s.io/v1beta1';
const apiService = (name: string, group: string, version: string) =>
  kube(`apiregistration.k8s.io/v1 APIService ${name}`, {}, { spec: { group, version } });
const metrics = apiService('v1beta1.metrics.k8s.io', 'metrics.k8s.io', 'v1beta1');

test.each([
  [
    'each of several, once',
    [
      ending(
        'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: ' +
          'custom.metrics.k8s.io/v1beta2: Get "https://10.0.0.1/apis/custom.metrics.k8s.io/v1beta2": EOF, ' +
          `metrics.k8s.io/v1beta1: ${stale}`,
      ),
    ],
    ['custom.metrics.k8s.io/v1beta2', 'metrics.k8s.io/v1beta1'],
  ],
  ['beside the APIService of another API', [ending(stale), apiService('v1.a.b', 'a.b', 'v1')], 1],
  ['none that is discovered again', [ending(stale, 'False')], 0],
  ['none whose APIService does not say so', [ending(stale), metrics], 0],
  ['none whose APIService was deleted', [ending(stale), apiService('v1.', '', 'v1')], 0],
  ['none of which the file has an object', [ending(stale), kube('metrics.k8s.io/v1beta1 X a')], 0],
  ['none that Kubernetes serves itself', [ending('apps/v1: EOF, batch/v1: EOF')], 0],
])(
  'a namespace in a file says which APIs its controller could not discover: %s',
  async (_, objects, expected) => {
    const text = objects.map((one) => `${JSON.stringify(one)}\n`).join('');
    const { snapshot } = await showFile('x', text);
    const failed = snapshot.types.failed.map(({ group, version }) => `${group}/${version}`);
    expect(typeof expected === 'number' ? failed.length : failed).toEqual(expected);
    const problems = snapshot.coverage.problems.filter(
      ({ reason }) => reason === 'discovery-failed',
    );
    expect(problems.map(({ apiVersion }) => apiVersion)).toEqual(failed);
  },
);
