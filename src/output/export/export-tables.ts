import { judge } from '../../controllers/garbage-collector/judge.ts';
import { millisecondsIn } from '../../kube/json-value.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { apiVersionOf, groupResourceOf } from '../../kube/resource-type.ts';
import { classifyReference } from '../../snapshot/graph/classify-reference.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { orphanIn } from '../documents/orphans.ts';

type ColumnType = 'text' | 'time' | 'count' | 'flag';
type Value = string | Date | number | boolean | undefined;

/** A table of what is known of clusters, for engines that query tables. */
export interface ExportTable {
  readonly name: string;
  /** By name, in their order; docs/export.md says what each holds. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** One value for each column. */
  rows(graph: Graph, cluster: string): Iterable<readonly Value[]>;
}

/** Which cluster, and when it was read: the first columns of every table. */
const from = { cluster: 'text', observed_at: 'time' } as const;

function source({ snapshot }: Graph, cluster: string): [string, Date | undefined] {
  return [cluster, timeOf(snapshot.observedAt)];
}

const objects: ExportTable = {
  name: 'objects',
  columns: {
    ...from,
    uid: 'text',
    api_version: 'text',
    kind: 'text',
    resource: 'text',
    namespace: 'text',
    name: 'text',
    created_at: 'time',
    deletion_at: 'time',
    finalizers: 'text',
    labels: 'text',
    owners: 'count',
    owners_state: 'text',
    gc_action: 'text',
    gc_rule: 'text',
  },
  *rows(graph, cluster) {
    const head = source(graph, cluster);
    for (const record of graph.snapshot.records) {
      const { action, rule } = judge(graph, record);
      yield [
        ...head,
        ...identityOf(record),
        timeOf(record.creationTimestamp),
        timeOf(record.deletionTimestamp),
        JSON.stringify(record.finalizers),
        JSON.stringify(record.labels ?? {}),
        record.ownerReferences.length,
        orphanIn(graph, record)?.owners,
        action,
        rule,
      ];
    }
  },
};

const references: ExportTable = {
  name: 'references',
  columns: {
    ...from,
    uid: 'text',
    position: 'count',
    owner_uid: 'text',
    owner_api_version: 'text',
    owner_kind: 'text',
    owner_name: 'text',
    controller: 'flag',
    block_owner_deletion: 'flag',
    verdict: 'text',
    rule: 'text',
  },
  *rows(graph, cluster) {
    const head = source(graph, cluster);
    for (const record of graph.snapshot.records) {
      for (const [position, reference] of record.ownerReferences.entries()) {
        const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
        const { class: verdict, rule } = classifyReference(graph, record, reference);
        const owner = [uid, apiVersion, kind, name, controller, blockOwnerDeletion];
        yield [...head, record.uid, position, ...owner, verdict, rule];
      }
    }
  },
};

/** What could not be read: of it, a table that has no row says nothing. */
const problems: ExportTable = {
  name: 'problems',
  columns: { ...from, reason: 'text', resource: 'text', namespace: 'text', message: 'text' },
  *rows(graph, cluster) {
    const head = source(graph, cluster);
    for (const { reason, resource, namespace, message } of graph.snapshot.coverage.problems) {
      yield [...head, reason, resource, namespace, message];
    }
  },
};

export const exportTables: readonly ExportTable[] = [objects, references, problems];

function identityOf({ uid, type, namespace, name }: ObjectRecord): string[] {
  return [uid, apiVersionOf(type), type.kind, groupResourceOf(type), namespace, name];
}

function timeOf(text: string | undefined): Date | undefined {
  const milliseconds = millisecondsIn(text);
  return milliseconds === undefined ? undefined : new Date(milliseconds);
}
