import { objectPath } from '../../src/cluster/api-path.ts';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { apiVersionOf, type ResourceType } from '../../src/kube/resource-type.ts';
import { customType, gadgets, widgets } from './builders.ts';

/** Of a kind in several versions, the first is meant. */
const known = new Map(
  [...builtInTypes, widgets, gadgets].toReversed().map((type) => [type.kind, type]),
);

/** The kind of this name that a default API server or the tests serve. */
export function typeOfKind(kind: string): ResourceType {
  const type = known.get(kind);
  if (!type) throw new Error(`no kind ${kind} is known`);
  return type;
}

/** `Deployment shop/web`, `Node worker`, `lib.example.com/v1 Book shop/moby`: what names it, and where it is. */
export function addressOf(text: string) {
  const [place = '', kind = '', given] = text.split(' ').reverse();
  const [name = '', namespace = ''] = place.split('/').reverse();
  const [group = '', version] = given?.split('/') ?? [];
  const plural = `${kind.toLowerCase()}s.${group}/${version} ${kind}`;
  const type = given ? customType(plural, { namespaced: namespace !== '' }) : typeOfKind(kind);
  const apiVersion = given ?? apiVersionOf(type);
  return { apiVersion, kind, namespace, name, collection: objectPath(type, namespace) };
}

/** Its path; that of all where no name is. */
export function pathOf(text: string): string {
  const { collection, name } = addressOf(text);
  return name === '' ? collection : `${collection}/${name}`;
}
