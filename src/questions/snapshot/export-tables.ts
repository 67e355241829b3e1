import { type Judgement, judge } from '../../controllers/garbage-collector/judge.ts';
import { millisecondsIn } from '../../kube/json-value.ts';
import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { apiVersionOf, groupResourceOf } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import {
  type ClassifiedReference,
  classifyReference,
} from '../../snapshot/graph/classify-reference.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { orphanIn } from '../orphans/document.ts';

type ColumnType = 'text' | 'time' | 'count' | 'flag';
type Value = string | Date | number | boolean | undefined;

/** A table of facts about clusters, for engines that query tables. */
export interface ExportTable {
  readonly name: string;
  /** By name, in their order; docs/export.md describes them. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** One value for each column. */
  rows(graph: Graph, cluster: string): Iterable<readonly Value[]>;
}

type Column<T> = readonly [type: ColumnType, read: (item: T, graph: Graph) => Value];

/** A row for each item; the first columns of every table say which cluster it is, and when it was read. */
function exportTable<T>(
  name: string,
  itemsOf: (graph: Graph) => Iterable<T>,
  own: Readonly<Record<string, Column<T>>>,
): ExportTable {
  const types = Object.entries(own).map(([column, [type]]) => [column, type] as const);
  const readers = Object.values(own).map(([, read]) => read);
  return {
    name,
    columns: { cluster: 'text', observed_at: 'time', ...Object.fromEntries(types) },
    *rows(graph, cluster) {
      const head = [cluster, dateIn(graph.snapshot.observedAt)];
      for (const item of itemsOf(graph)) {
        yield [...head, ...readers.map((read) => read(item, graph))];
      }
    },
  };
}

interface Judged extends Pick<Judgement, 'action' | 'rule'> {
  readonly record: ObjectRecord;
}

const objects = exportTable<Judged>('objects', judged, {
  uid: ['text', ({ record }) => record.uid],
  api_version: ['text', ({ record }) => apiVersionOf(record.type)],
  kind: ['text', ({ record }) => record.type.kind],
  resource: ['text', ({ record }) => groupResourceOf(record.type)],
  namespace: ['text', ({ record }) => record.namespace],
  name: ['text', ({ record }) => record.name],
  created_at: ['time', ({ record }) => dateIn(record.creationTimestamp)],
  deletion_at: ['time', ({ record }) => dateIn(record.deletionTimestamp)],
  finalizers: ['text', ({ record }) => JSON.stringify(record.finalizers)],
  labels: ['text', ({ record }) => JSON.stringify(record.labels ?? {})],
  owners: ['count', ({ record }) => record.ownerReferences.length],
  owners_state: ['text', ({ record }, graph) => orphanIn(graph, record)?.owners],
  gc_action: ['text', ({ action }) => action],
  gc_rule: ['text', ({ rule }) => rule],
});

function* judged(graph: Graph): Generator<Judged> {
  for (const record of graph.snapshot.records) yield { record, ...judge(graph, record) };
}

interface OwnerReferenceRow extends OwnerReference {
  readonly dependent: string;
  readonly position: number;
  readonly found: ClassifiedReference;
}

const references = exportTable<OwnerReferenceRow>('references', ownerReferenceRows, {
  uid: ['text', ({ dependent }) => dependent],
  position: ['count', ({ position }) => position],
  owner_uid: ['text', ({ uid }) => uid],
  owner_api_version: ['text', ({ apiVersion }) => apiVersion],
  owner_kind: ['text', ({ kind }) => kind],
  owner_name: ['text', ({ name }) => name],
  controller: ['flag', ({ controller }) => controller],
  block_owner_deletion: ['flag', ({ blockOwnerDeletion }) => blockOwnerDeletion],
  verdict: ['text', ({ found }) => found.class],
  rule: ['text', ({ found }) => found.rule],
});

function* ownerReferenceRows(graph: Graph): Generator<OwnerReferenceRow> {
  for (const record of graph.snapshot.records) {
    for (const [position, reference] of record.ownerReferences.entries()) {
      const found = classifyReference(graph, record, reference);
      yield { ...reference, dependent: record.uid, position, found };
    }
  }
}

/** What could not be read: of it, a table that has no row says nothing. */
const problems = exportTable<CoverageProblem>(
  'problems',
  ({ snapshot }) => snapshot.coverage.problems,
  {
    reason: ['text', ({ reason }) => reason],
    resource: ['text', ({ resource }) => resource],
    namespace: ['text', ({ namespace }) => namespace],
    message: ['text', ({ message }) => message],
  },
);

export const exportTables: readonly ExportTable[] = [objects, references, problems];

function dateIn(text: string | undefined): Date | undefined {
  const milliseconds = millisecondsIn(text);
  return milliseconds === undefined ? undefined : new Date(milliseconds);
}
