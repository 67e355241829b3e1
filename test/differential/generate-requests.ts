import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Choose } from './choose.ts';

type Request = Readonly<Record<string, unknown>>;

/** Up to four requests of every shape that a scenario knows. */
export function generateRequests(
  objects: readonly KubeObject[],
  namespaces: readonly string[],
  choose: Choose,
  options: { readonly namespaces: boolean },
): Request[] {
  const requests: Request[] = [];
  const count = choose.one([0, 1, 1, 1, 2, 2, 3]);
  for (let n = 0; n < count; n++) {
    const again = requests.at(-1);
    if (again?.verb === 'delete' && choose.chance(0.15)) {
      requests.push({ ...addressOf(again), verb: 'delete', ...policyOf(choose) });
    } else requests.push(requestFor(choose.one(objects), choose));
  }
  if (options.namespaces && choose.chance(0.6)) {
    const address = { apiVersion: 'v1', kind: 'Namespace', name: namespaces[0] };
    const request = { verb: 'delete', ...address, ...policyOf(choose) };
    requests.splice(choose.between(0, requests.length), 0, request);
  }
  return requests;
}

function addressOf({ apiVersion, kind, namespace, name }: Request): Request {
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
}

function requestFor(object: KubeObject, choose: Choose): Request {
  const { apiVersion, kind, metadata } = object;
  const { namespace, name, uid, ownerReferences, finalizers } = metadata;
  const address = addressOf({ apiVersion, kind, namespace, name });
  const metadataPatch = (changes: Request) => ({
    verb: 'patch',
    ...address,
    patch: { metadata: changes },
  });
  const dice = choose.between(1, 100);
  if (dice <= 72) return { verb: 'delete', ...address, ...policyOf(choose) };
  if (dice <= 76) {
    const wrong = choose.chance(0.5);
    const preconditions = { uid: wrong ? '00000000-0000-0000-0000-000000000000' : uid };
    return { verb: 'delete', ...address, preconditions, ...policyOf(choose) };
  }
  if (dice <= 80) return { verb: 'delete', ...address, gracePeriodSeconds: choose.one([0, 1, 30]) };
  if (dice <= 82) return { verb: 'delete', ...address, dryRun: ['All'] };
  if (dice <= 84) return { verb: 'delete', ...address, name: `${String(name)}-nowhere` };
  if (dice <= 87 && namespace !== undefined) {
    return { verb: 'deletecollection', apiVersion, kind, namespace, ...policyOf(choose) };
  }
  if (dice <= 93) return metadataPatch({ finalizers: null });
  const references = Array.isArray(ownerReferences) ? ownerReferences : [];
  if (dice <= 97) return metadataPatch({ ownerReferences: references.slice(1) });
  const more = Array.isArray(finalizers) ? finalizers : [];
  return metadataPatch({ finalizers: [...more, 'example.com/added'] });
}

function policyOf(choose: Choose): Request {
  return choose.one<Request>([
    {},
    { propagationPolicy: 'Background' },
    { propagationPolicy: 'Foreground' },
    { propagationPolicy: 'Foreground' },
    { propagationPolicy: 'Foreground' },
    { propagationPolicy: 'Orphan' },
    { propagationPolicy: 'Orphan' },
    choose.chance(0.3) ? { orphanDependents: choose.chance(0.5) } : {},
  ]);
}
