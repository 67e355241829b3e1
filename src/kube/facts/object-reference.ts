import { at, object, text } from './shape.ts';

/** A reference to an object, as far as it leads there. */
export interface ObjectReference {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

export const objectReference = object<ObjectReference>({
  kind: at('kind', '1', text),
  namespace: at('namespace', '2', text),
  name: at('name', '3', text, ''),
  uid: at('uid', '4', text),
});
