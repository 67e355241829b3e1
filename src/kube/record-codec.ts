import {
  type Condition,
  keptAnnotations,
  noFinalizers,
  noReferences,
  type ObjectFacts,
  type ObjectRecord,
  type OwnerReference,
  type Place,
  type ReferenceWriter,
} from './object-record.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';
import { noTaints, type Taint } from './taint.ts';

type Json = Record<string, unknown>;

/** A Kubernetes object as the API and manifests spell it. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Json;
  readonly [field: string]: unknown;
}

/**
 * Keeps of an object what ownership and collection need; data, spec and status stay behind.
 * Fields of a wrong JSON type are treated as unset: a broken manifest must not break the rest.
 */
export function recordOf(
  object: { readonly metadata?: unknown; readonly [field: string]: unknown },
  type: ResourceType,
  place?: Place,
): ObjectRecord {
  const metadata = jsonOf(object.metadata) ?? {};
  return {
    type,
    namespace: type.namespaced ? (text(metadata.namespace) ?? '') : '',
    name: text(metadata.name) ?? '',
    uid: text(metadata.uid) ?? '',
    resourceVersion: text(metadata.resourceVersion),
    creationTimestamp: text(metadata.creationTimestamp),
    deletionTimestamp: text(metadata.deletionTimestamp),
    deletionGracePeriodSeconds: number(metadata.deletionGracePeriodSeconds),
    ownerReferences: ownerReferencesOf(metadata.ownerReferences),
    finalizers: textsOf(metadata.finalizers) ?? noFinalizers,
    labels: stringMapOf(metadata.labels),
    annotations: stringMapOf(metadata.annotations, keptAnnotations),
    writers: writersOf(metadata.managedFields),
    facts: factsOf(object, type),
    place,
  };
}

/** The record as a Kubernetes object again: what `-o json`, snapshots and simulations print. */
export function objectOf(record: ObjectRecord): KubeObject {
  const { type, facts } = record;
  const object: Record<string, unknown> = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: withoutUnset({
      name: record.name,
      namespace: record.namespace || undefined,
      uid: record.uid || undefined,
      resourceVersion: record.resourceVersion,
      creationTimestamp: record.creationTimestamp,
      deletionTimestamp: record.deletionTimestamp,
      deletionGracePeriodSeconds: record.deletionGracePeriodSeconds,
      labels: record.labels,
      annotations: record.annotations,
      ownerReferences: record.ownerReferences.length
        ? record.ownerReferences.map((reference) => withoutUnset({ ...reference }))
        : undefined,
      finalizers: record.finalizers.length ? record.finalizers : undefined,
    }),
  };
  if (facts) {
    const spec = withoutUnset({
      nodeName: facts.nodeName || undefined,
      terminationGracePeriodSeconds: facts.terminationGracePeriodSeconds,
      finalizers: facts.specFinalizers,
      taints: facts.taints?.length ? facts.taints : undefined,
    });
    // An empty spec says that a pod is bound to no node, or a Node has no taints; without one, nobody knows.
    const isKnown = facts.nodeName !== undefined || facts.taints !== undefined;
    if (Object.keys(spec).length || isKnown) object.spec = spec;
    const { phase, conditions } = facts;
    if (phase !== undefined || conditions) object.status = withoutUnset({ phase, conditions });
  }
  return object as KubeObject;
}

function ownerReferencesOf(value: unknown): readonly OwnerReference[] {
  if (!Array.isArray(value) || value.length === 0) return noReferences;
  return value.flatMap((entry) => {
    const reference = jsonOf(entry);
    return reference
      ? {
          apiVersion: text(reference.apiVersion) ?? '',
          kind: text(reference.kind) ?? '',
          name: text(reference.name) ?? '',
          uid: text(reference.uid) ?? '',
          controller: boolean(reference.controller),
          blockOwnerDeletion: boolean(reference.blockOwnerDeletion),
        }
      : [];
  });
}

/** managedFields names each reference as `f:metadata.f:ownerReferences.k:{"uid":"…"}`. */
function writersOf(value: unknown): readonly ReferenceWriter[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((entry) => {
    const managed = jsonOf(entry);
    const fields = jsonOf(managed?.fieldsV1);
    const references = jsonOf(jsonOf(fields?.['f:metadata'])?.['f:ownerReferences']);
    if (!managed || !references) return [];
    return Object.keys(references).flatMap((key) => {
      const uid = /^k:\{"uid":"(.*)"\}$/.exec(key)?.[1];
      return uid === undefined
        ? []
        : {
            uid,
            manager: text(managed.manager) ?? '',
            operation: text(managed.operation) ?? '',
            time: text(managed.time),
          };
    });
  });
}

const phased = new Set(['Pod', 'Namespace', 'PersistentVolume', 'PersistentVolumeClaim']);

function factsOf(object: Json, type: ResourceType): ObjectFacts | undefined {
  if (type.group !== '') return undefined;
  const spec = jsonOf(object.spec);
  if (type.kind === 'Node') return spec && { taints: taintsOf(spec.taints) };
  if (!phased.has(type.kind)) return undefined;
  const phase = text(jsonOf(object.status)?.phase);
  if (!spec && phase === undefined) return undefined;
  const facts: { -readonly [K in keyof ObjectFacts]: ObjectFacts[K] } = {};
  if (phase !== undefined) facts.phase = phase;
  if (type.kind === 'Pod') {
    facts.nodeName = text(spec?.nodeName) ?? '';
    const grace = number(spec?.terminationGracePeriodSeconds);
    if (grace !== undefined) facts.terminationGracePeriodSeconds = grace;
  }
  if (type.kind === 'Namespace') facts.specFinalizers = textsOf(spec?.finalizers) ?? [];
  const conditions = conditionsOf(jsonOf(object.status)?.conditions);
  if (conditions) facts.conditions = conditions;
  return Object.keys(facts).length > 0 ? facts : undefined;
}

function conditionsOf(value: unknown): readonly Condition[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.flatMap((entry) => {
    const condition = jsonOf(entry);
    if (!condition) return [];
    const { type, status, reason, message, lastTransitionTime } = condition;
    return [
      {
        type: text(type) ?? '',
        status: text(status) ?? '',
        ...(typeof reason === 'string' && { reason }),
        ...(typeof message === 'string' && { message }),
        ...(typeof lastTransitionTime === 'string' && { lastTransitionTime }),
      },
    ];
  });
}

function taintsOf(value: unknown): readonly Taint[] {
  if (!Array.isArray(value) || value.length === 0) return noTaints;
  return value.flatMap((entry) => {
    const taint = jsonOf(entry);
    if (!taint) return [];
    const value = text(taint.value);
    const timeAdded = text(taint.timeAdded);
    return {
      key: text(taint.key) ?? '',
      ...(value && { value }),
      effect: text(taint.effect) ?? '',
      ...(timeAdded && { timeAdded }),
    };
  });
}

function jsonOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function boolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function textsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((entry): entry is string => typeof entry === 'string');
}

function stringMapOf(
  value: unknown,
  only?: ReadonlySet<string>,
): Readonly<Record<string, string>> | undefined {
  const json = jsonOf(value);
  if (!json) return undefined;
  let kept: Record<string, string> | undefined;
  for (const key of Object.keys(json)) {
    const entry = json[key];
    if (typeof entry !== 'string' || (only && !only.has(key))) continue;
    kept ??= {};
    kept[key] = entry;
  }
  return kept;
}

function withoutUnset(json: Json): Json {
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined));
}
