import { beforeAll, expect, test } from 'vitest';
import { objectPath } from '../../src/cluster/api-path.ts';
import { parseTargets } from '../../src/command-line/type-argument.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { servedTypes } from '../support/served-types.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

const shared = sharedControlPlane();
let types: ResourceTypes;

beforeAll(async () => {
  types = new ResourceTypes(await servedTypes(shared.get), { exhaustive: true });
});

/** The paths kubectl asks for, or `refused`. */
async function askedByKubectl(words: readonly string[]): Promise<string[] | 'refused'> {
  const { stderr } = await shared.kubectl(['get', ...words, '-n', 'nobody', '--v=6']);
  const asked = stderr.matchAll(/verb="GET" url="https:\/\/[^/]+(\/[^"?]+)/g);
  const paths = [...asked].map(([, path = '']) => path);
  const objects = paths.filter(isOfObjects);
  return objects.length > 0 ? objects : 'refused';
}

/** Neither discovery nor a look at the namespace of what was not found. */
function isOfObjects(path: string): boolean {
  const within = path.startsWith('/api/') ? path.split('/').slice(3) : path.split('/').slice(4);
  return within.length > 0 && within.join('/') !== 'namespaces/nobody';
}

function askedByUs(words: readonly string[]): string[] | 'refused' {
  try {
    const { targets } = parseTargets(words, types);
    return targets.map(({ type, name }) => objectPath(type, 'nobody', name));
  } catch {
    return 'refused';
  }
}

const lines = `
pods | pod | po | Pod | PODS | pod/web | pods web db | pod/web deploy/web | pods,svc |
pods,svc web db | svc,pods,svc | pods web web | deployments.apps | deploy.apps |
Deployment.apps | deployments.v1.apps | Deployment.v1.apps | deployment.v1.app |
deployments.v1beta1.apps | deployments.batch | pods.v1. | pods. | hpa | hpa.v1.autoscaling |
hpa.v9.autoscaling | horizontalpodautoscalers.v1.autoscaling | pods.v1 | po.v1 | namespaces |
ns/nobody-else | hpa.autoscal | ingress.networking | Ingress.networking | sc.storage |
storageclass.storage.k8s | events | ev | events.events.k8s.io | events.events | widget |
widgets.example.com | widget.v1.example.com | Gadget.example | all | cm,all | api-extensions |
API-extensions | pod/ | /web | pods,svc/web | shop/pod/web | pod/web db | pods deploy/web |
spaceships | scale`;

test.each(lines.split('|').map((line) => line.trim()))(
  'kubectl and we read %j alike',
  async (line) => {
    const words = line.split(' ');
    expect(askedByUs(words)).toEqual(await askedByKubectl(words));
  },
);
