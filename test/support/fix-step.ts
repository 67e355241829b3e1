import type { FixRequest } from '../../src/why/fix-request.ts';

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}
const ofObject = new Set(['/metadata/uid', '/metadata/resourceVersion']);

/** A step as it is sent: its method and object; of a patch, what it tests of what it changes, and the change. */
export function stepOf({ method, object, body }: FixRequest): string {
  const begin = `${method} ${object.kind}/${object.name}`;
  if (method === 'DELETE') {
    const { gracePeriodSeconds } = body as { readonly gracePeriodSeconds?: number };
    return gracePeriodSeconds === undefined ? begin : `${begin} gracePeriod ${gracePeriodSeconds}`;
  }
  const operations = (body as readonly Operation[]).filter(({ path }) => !ofObject.has(path));
  const written = operations.map(({ op, path, value }) => [op, path, value].join(' ').trim());
  return `${begin} ${written.join(', ')}`;
}
