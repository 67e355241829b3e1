import { isPathSegment } from '../kube/path-segment.ts';

/** Checks the shape of a plan, part by part; each answers with the first fault, as `objects[3].fate is "gone"`. */
export function faultOf(value: Readonly<Record<string, unknown>>): string | undefined {
  return (
    fieldsFault(value, '', { createdAt: text, digest }) ??
    inside(value.cluster, 'cluster', (cluster, at) =>
      fieldsFault(cluster, at, { server: text, uid: text }),
    ) ??
    inside(value.coverage, 'coverage', (coverage, at) =>
      fieldsFault(coverage, at, {
        complete: boolean,
        kinds: count,
        objects: count,
        problems: list,
      }),
    ) ??
    each(value.requests, 'requests', requestFault) ??
    each(value.objects, 'objects', objectFault) ??
    each(value.remarks, 'remarks', (remark, at) =>
      fieldsFault(remark, at, { code: text, severity: text, message: text, objects: list }),
    ) ??
    each(value.undetermined, 'undetermined', (entry, at) =>
      fieldsFault(entry, at, { because: text }),
    )
  );
}

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const boolean: Check = (value) => typeof value === 'boolean';
const list: Check = Array.isArray;
const absent: Check = (value) => value === undefined;
const count: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const digest: Check = (value) => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);

/** A name that could be sent: one like `..` would lead to another path. */
const segment: Check = (value) => typeof value === 'string' && isPathSegment(value);
const namespace: Check = (value) => value === '' || segment(value);
const identity = { apiVersion: text, kind: text, namespace, name: segment, uid: text };
const policy = oneOf('Background', 'Foreground', 'Orphan');
const fate = oneOf('deleted', 'orphaned', 'kept', 'terminating', 'recreated', 'unknown');

function requestFault(request: Fields, at: string): string | undefined {
  return fieldsFault(request, at, {
    ...identity,
    verb: oneOf('delete'),
    propagationPolicy: policy,
    wave: count,
    resourceVersion: optional(text),
    gracePeriodSeconds: optional(Number.isInteger),
    // Made for one run, and looked at anew by each: a saved plan has none.
    patch: absent,
    node: absent,
  });
}

function objectFault(object: Fields, at: string): string | undefined {
  const shape = { ...identity, wave: count, fate, because: text, rule: text };
  return (
    fieldsFault(object, at, shape) ??
    each(object.blockedBy, `${at}.blockedBy`, (blocker, place) =>
      fieldsFault(blocker, place, {
        kind: oneOf('finalizer', 'dependent', 'kubelet', 'content'),
        name: text,
      }),
    )
  );
}

function fieldsFault(
  value: Fields,
  at: string,
  shape: Readonly<Record<string, Check>>,
): string | undefined {
  for (const [field, check] of Object.entries(shape)) {
    if (!check(value[field])) return spell(at === '' ? field : `${at}.${field}`, value[field]);
  }
  return undefined;
}

function inside(
  value: unknown,
  at: string,
  check: (value: Fields, at: string) => string | undefined,
): string | undefined {
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMapping ? check(value as Fields, at) : spell(at, value);
}

function each(
  values: unknown,
  at: string,
  check: (value: Fields, at: string) => string | undefined,
): string | undefined {
  if (!Array.isArray(values)) return spell(at, values);
  for (const [index, value] of values.entries()) {
    const fault = inside(value, `${at}[${index}]`, check);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function spell(at: string, value: unknown): string {
  if (value === undefined) return `${at} is missing`;
  return typeof value === 'object' && value !== null
    ? `${at} has the wrong form`
    : `${at} is ${JSON.stringify(value)}`;
}
