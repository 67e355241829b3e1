import { factFieldsOf } from '../../kube/facts/object-facts.ts';
import type { Form, NamedField } from '../../kube/facts/shape.ts';
import { jsonOf } from '../../kube/json-value.ts';
import { byContent, type ObjectFacts, type ObjectRecord } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { ResourceTypes } from '../../kube/resource-types.ts';
import type { Coverage, CoverageProblem } from '../../snapshot/coverage.ts';
import type { Origin, Snapshot } from '../../snapshot/snapshot.ts';
import { Pseudonyms } from './pseudonyms.ts';
import { redactEvidence } from './redact-evidence.ts';

/** Fields whose words are no names, and which must be read as they are. */
const readAsTheyAre: ReadonlySet<string> = new Set(['schedule', 'timeZone']);

/**
 * The snapshot with pseudonyms for every name, of which rules find the same. What is new here field by field is
 * all that a redacted snapshot has: the compiler refuses a field or section that this does not name, and facts
 * are taken by their declared fields.
 */
export function redactSnapshot(snapshot: Snapshot, key: Uint8Array): Snapshot {
  const redaction = new Redaction(key);
  const redacted: Record<keyof Snapshot, unknown> & Snapshot = {
    records: snapshot.records.map((record) => redaction.record(record)).sort(byContent),
    types: redaction.types(snapshot.types),
    coverage: redaction.coverage(snapshot.coverage),
    observedAt: snapshot.observedAt,
    observedFrom: snapshot.observedFrom,
    serverVersion: snapshot.serverVersion && redaction.text(snapshot.serverVersion),
    origin: redaction.origin(snapshot.origin),
    evidence:
      snapshot.evidence && redactEvidence(snapshot.evidence, (text) => redaction.text(text)),
  };
  return redacted;
}

class Redaction {
  readonly #pseudonyms: Pseudonyms;
  readonly #types = new Map<ResourceType, ResourceType>();

  constructor(key: Uint8Array) {
    this.#pseudonyms = new Pseudonyms(key);
  }

  text(text: string): string {
    return this.#pseudonyms.text(text);
  }

  record(record: ObjectRecord): ObjectRecord {
    const { writers, facts, place } = record;
    return {
      type: this.type(record.type),
      namespace: this.text(record.namespace),
      name: this.text(record.name),
      uid: this.text(record.uid),
      // A number, however long.
      resourceVersion: /^\d+$/.test(record.resourceVersion ?? '')
        ? record.resourceVersion
        : undefined,
      creationTimestamp: record.creationTimestamp && this.text(record.creationTimestamp),
      deletionTimestamp: record.deletionTimestamp && this.text(record.deletionTimestamp),
      deletionGracePeriodSeconds: record.deletionGracePeriodSeconds,
      ownerReferences: record.ownerReferences.map((reference) => ({
        apiVersion: this.text(reference.apiVersion),
        kind: this.text(reference.kind),
        name: this.text(reference.name),
        uid: this.text(reference.uid),
        controller: reference.controller,
        blockOwnerDeletion: reference.blockOwnerDeletion,
      })),
      finalizers: record.finalizers.map((finalizer) => this.text(finalizer)),
      labels: record.labels && this.#texts(record.labels),
      annotations: record.annotations && this.#texts(record.annotations),
      writers: writers?.map(({ uid, manager, operation, time }) => ({
        uid: this.text(uid),
        manager: this.text(manager),
        operation: this.text(operation),
        time: time && this.text(time),
      })),
      facts: facts && this.#facts(facts, record.type),
      place: place && { path: this.text(place.path), line: place.line },
    };
  }

  type(type: ResourceType): ResourceType {
    const known = this.#types.get(type);
    if (known) return known;
    const texts = (list: readonly string[]) => list.map((text) => this.text(text));
    const redacted: ResourceType = {
      group: this.text(type.group),
      version: this.text(type.version),
      kind: this.text(type.kind),
      resource: this.text(type.resource),
      singular: this.text(type.singular),
      shortNames: texts(type.shortNames),
      categories: texts(type.categories),
      namespaced: type.namespaced,
      verbs: texts(type.verbs),
    };
    this.#types.set(type, redacted);
    return redacted;
  }

  types({ all, failed, exhaustive, wholeGroups }: ResourceTypes): ResourceTypes {
    return new ResourceTypes(
      all.map((type) => this.type(type)),
      {
        failed: failed.map(({ group, version }) => ({
          group: this.text(group),
          version: version && this.text(version),
          message: `discovery of ${this.text(version === undefined ? group : `${group}/${version}`)} failed`,
        })),
        exhaustive,
        wholeGroups: new Set([...wholeGroups].map((group) => this.text(group))),
      },
    );
  }

  coverage({ read, asked, problems }: Coverage): Coverage {
    return {
      read: read.map(({ resource, namespaces }) => ({
        resource: this.text(resource),
        ...(namespaces && { namespaces: namespaces.map((one) => this.text(one)).sort() }),
      })),
      asked: asked.map(({ resource, namespace, name }) => ({
        resource: this.text(resource),
        namespace: this.text(namespace),
        name: this.text(name),
      })),
      problems: problems.map((problem) => this.#problem(problem)),
    };
  }

  origin(origin: Origin): Origin {
    return origin.kind === 'cluster'
      ? { kind: 'cluster', server: this.text(origin.server) }
      : { kind: 'files', paths: origin.paths.map((path) => this.text(path)) };
  }

  /** Its sentence quotes a server or a file, which may say anything: another takes its place. */
  #problem(problem: CoverageProblem): CoverageProblem {
    const { reason, resource, apiVersion, namespace, cluster, path, line, setAside } = problem;
    const names = {
      ...(resource !== undefined && { resource: this.text(resource) }),
      ...(apiVersion !== undefined && { apiVersion: this.text(apiVersion) }),
      ...(namespace !== undefined && { namespace: this.text(namespace) }),
      ...(cluster !== undefined && { cluster: this.text(cluster) }),
      ...(path !== undefined && { path: this.text(path) }),
    };
    const what = names.resource ?? names.apiVersion ?? names.path ?? 'a part of the input';
    const where = names.namespace === undefined ? '' : ` in namespace ${names.namespace}`;
    return {
      reason,
      message: `${what}${where} could not be read: ${reason}`,
      ...names,
      ...(line !== undefined && { line }),
      ...(setAside && { setAside }),
    };
  }

  /** In the order of their new keys: the old order would tell of the old ones. */
  #texts(texts: Readonly<Record<string, string>>): Record<string, string> {
    const entries = Object.entries(texts).map(
      ([key, value]) => [this.text(key), this.text(value)] as const,
    );
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #facts(facts: object, type: ResourceType): ObjectFacts {
    const { secretType, expiration } = facts as ObjectFacts;
    return {
      ...(secretType !== undefined && { secretType: this.text(secretType) }),
      ...(expiration !== undefined && { expiration: this.text(expiration) }),
      ...this.#fields(factFieldsOf(type) ?? [], facts),
    };
  }

  #fields(fields: readonly NamedField[], values: object): Record<string, unknown> {
    const redacted: Record<string, unknown> = {};
    for (const { key, shape } of fields) {
      const value = (values as Readonly<Record<string, unknown>>)[key];
      if (value === undefined) continue;
      redacted[key] = readAsTheyAre.has(key) ? value : this.#value(shape, value);
    }
    return redacted;
  }

  #value(form: Form, value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    switch (form.form) {
      case 'list':
        return (value as readonly unknown[]).map((entry) => this.#value(form.of, entry));
      case 'object': {
        const [field] = form.fields;
        if (form.unwrapped) return field && this.#value(field.shape, value);
        return this.#fields(form.fields, value);
      }
      case 'labels':
        return this.#texts(value as Record<string, string>);
      case 'plain-selector': {
        const matchLabels = jsonOf(value)?.matchLabels as Record<string, string> | undefined;
        return { ...(matchLabels && { matchLabels: this.#texts(matchLabels) }) };
      }
      case 'certificate': {
        const notAfter = jsonOf(value)?.notAfter;
        return typeof notAfter === 'string' ? { notAfter: this.text(notAfter) } : {};
      }
      default:
        return undefined;
    }
  }
}
