import type { ObjectRecord } from '../kube/object-record.ts';
import { storedAs } from './cluster-state.ts';
import type { Scene } from './scene.ts';

/**
 * Which request is about which record, by their positions; and the requests that are about no
 * single existing object.
 */
export function targetsOf(
  scene: Scene,
  records: readonly ObjectRecord[],
): { readonly single: readonly (readonly [number, number])[]; readonly anywhere: number[] } {
  const wanted = new Map<string, Map<string, number[]>>();
  const anywhere: number[] = [];
  scene.requests.forEach((request, at) => {
    const type = scene.types.find(request.apiVersion, request.kind);
    if (!type || request.verb === 'deletecollection' || request.verb === 'create') {
      anywhere.push(at);
      return;
    }
    const place = `${storedAs(type)}/${type.namespaced ? request.namespace : ''}`;
    let places = wanted.get(request.name);
    if (!places) {
      places = new Map();
      wanted.set(request.name, places);
    }
    places.set(place, [...(places.get(place) ?? []), at]);
  });
  const single: [number, number][] = [];
  records.forEach(({ type, namespace, name }, index) => {
    const requests = wanted.get(name)?.get(`${storedAs(type)}/${namespace}`) ?? [];
    for (const at of requests) single.push([at, index]);
  });
  return { single, anywhere };
}
