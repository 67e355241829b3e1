import type { ObjectRecord } from '../../src/kube/object-record.ts';
import type { ObjectReference } from '../../src/kube/object-reference.ts';
import { apiVersionOf, groupResourceOf } from '../../src/kube/resource-type.ts';
import { silentTimeline } from '../../src/simulator/engine/timeline.ts';
import { attemptToDeleteItem } from '../../src/simulator/garbage-collector/attempts.ts';
import { type Lookup, OwnerLookup } from '../../src/simulator/garbage-collector/owner-lookup.ts';
import {
  AbsentOwnerCache,
  OwnershipGraph,
} from '../../src/simulator/garbage-collector/ownership-graph.ts';
import type { OwnershipNode } from '../../src/simulator/garbage-collector/ownership-node.ts';
import { SimulatedRequests } from '../../src/simulator/garbage-collector/simulated-requests.ts';
import { readCoverageOf } from '../../src/simulator/simulation-input.ts';
import { servedTypes, snapshotOf } from '../support/builders.ts';
import { beginning } from './play-out.ts';
import { runContextOf } from './run-context.ts';

/** Takes the collector through its work one event and one item at a time. */
export interface Workbench {
  /** An informer tells of an object that was there or came, changed, or went. */
  see(record: ObjectRecord, before?: ObjectRecord): void;
  /** What is stored now, whether an informer told of it or not. */
  stored(record: ObjectRecord): ObjectRecord | undefined;
  forget(record: ObjectRecord): void;
  /** Somebody else writes, and no informer tells yet. */
  write(before: ObjectRecord, after: ObjectRecord | undefined): void;
  /** A worker takes the first item of the queue. Returns what it asked of the API server. */
  work(meanwhile?: (at: number) => void): string[];
  /** Carries out the virtual deletions that workers have reported. */
  applyReports(): void;
  /** What the graph calls these objects, `v1 Pod shop/web`; virtual nodes end in `?`. */
  state(uids: Iterable<string>): Readonly<Record<string, string>>;
  /** Names of the dependents of every object that the graph knows. */
  edges(records: Iterable<ObjectRecord>): Readonly<Record<string, readonly string[]>>;
  readonly queued: readonly string[];
  /** Dependents of warnings. */
  readonly warned: readonly string[];
  readonly absentOwners: AbsentOwnerCache;
}

export function workbench(objects: readonly ObjectRecord[], minor = 36): Workbench {
  const context = runContextOf(objects, beginning, { minor });
  const { state: cluster, clock } = context;
  const absentOwners = new AbsentOwnerCache();
  const asked: string[] = [];
  const warned: string[] = [];
  const queue: OwnershipNode[] = [];
  const add = (node: OwnershipNode) => {
    if (!queue.includes(node)) queue.push(node);
  };
  const graph = new OwnershipGraph(
    absentOwners,
    {
      attemptToDelete: add,
      attemptToDeleteLater: add,
      attemptToOrphan: () => undefined,
      invalidNamespace: (dependent) => warned.push(nameOf(dependent.identity)),
    },
    ({ type, namespace, name, uid }) => {
      const monitored = servedTypes.versions(groupResourceOf(type))[0] ?? type;
      return { apiVersion: apiVersionOf(monitored), kind: type.kind, namespace, name, uid };
    },
  );

  class AskedLookup extends OwnerLookup {
    override find(wanted: Omit<ObjectReference, 'namespace'>, namespace: string): Lookup {
      const found = super.find(wanted, namespace);
      if (found.kind === 'found' || found.kind === 'absent') {
        asked.push(`get ${wanted.apiVersion} ${wanted.kind} ${wanted.name}`);
      }
      return found;
    }
  }
  const lookup = new AskedLookup(cluster, readCoverageOf(snapshotOf(objects)), () => false);
  cluster.watch(({ before, after }) => {
    if (before && !after) asked.push(`delete ${before.type.kind} ${before.name}`);
  });

  return {
    see: (record, before) => graph.observe(before, record),
    stored: (record) => cluster.current(record),
    forget: (record) => graph.forget(record),
    write(before, after) {
      if (after) cluster.update(before, after);
      else cluster.remove(before);
      asked.length = 0;
    },
    work(meanwhile) {
      asked.length = 0;
      const node = queue.shift();
      if (!node) throw new Error('nothing is queued');
      const worker = {
        requests: new SimulatedRequests(context, lookup),
        timeline: silentTimeline,
        graph,
        absentOwners,
        queue: add,
        enqueueGraphEvent: (event: () => void) => clock.after(0, event),
        unknown: new Map(),
      };
      const task = attemptToDeleteItem(worker, node);
      let at = 0;
      for (let step = task.next(); ; step = task.next()) {
        if (step.done) {
          if (step.value !== 'forget') add(node);
          return [...asked];
        }
        meanwhile?.(at++);
      }
    },
    applyReports: () => {
      clock.run(clock.now);
    },
    state(uids) {
      const nodes: Record<string, string> = {};
      for (const uid of uids) {
        const node = graph.node(uid);
        if (node) nodes[uid] = nameOf(node.identity) + (node.isObserved ? '' : '?');
      }
      return nodes;
    },
    edges(records) {
      const edges: Record<string, string[]> = {};
      for (const { uid, name } of records) {
        const node = graph.node(uid);
        if (node) edges[name] = [...(node.dependents ?? [])].map(({ identity }) => identity.name);
      }
      return edges;
    },
    get queued() {
      return queue.map(({ identity, isObserved }) => nameOf(identity) + (isObserved ? '' : '?'));
    },
    warned,
    absentOwners,
  };
}

/** `apps/v1 Deployment shop/web`. */
function nameOf({ apiVersion, kind, namespace, name }: ObjectReference): string {
  return `${apiVersion} ${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}
