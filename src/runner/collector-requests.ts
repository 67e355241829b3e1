import { objectPath } from '../cluster/api-path.ts';
import type { WriteAnswer } from '../cluster/write/write-answer.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { ObjectReference } from '../kube/object-reference.ts';
import { sameReferences, type Written } from '../simulator/api-server/api-server.ts';
import type { Task } from '../simulator/engine/clock.ts';
import type {
  CollectorRequests,
  ReferencePatch,
} from '../simulator/garbage-collector/collector-requests.ts';
import { type Lookup, placeOrEnd } from '../simulator/garbage-collector/owner-lookup.ts';
import type { OwnershipNode } from '../simulator/garbage-collector/ownership-node.ts';
import type { RealClock, Wait } from './real-clock.ts';
import { type Server, writtenOf } from './server.ts';

const unsupportedMediaType = 415;

/** The garbage collector's requests to a real API server. Mirrors operations.go and patch.go. */
export function collectorRequests(server: Server, clock: RealClock): CollectorRequests<Wait> {
  return {
    get: (identity) => find(server, identity, identity.namespace),
    findOwner: (reference, namespace) => find(server, reference, namespace),
    deleteAsJudged: (judged, policy) => deleteAsJudged(server, judged, policy),
    patchReferences: (node, record, patch) => patchReferences(server, node, record, patch),
    *setFinalizers(before, finalizers) {
      const { uid, resourceVersion } = before;
      const answer = yield* server.send({
        verb: 'patch',
        path: pathOf(before),
        patchType: 'merge',
        body: { metadata: { finalizers } },
        guards: { uid, resourceVersion },
        metadataOnly: true,
      });
      return writtenOf(answer, 'GC-34');
    },
    pause: (milliseconds) => server.pause(milliseconds),
    *all<T>(tasks: readonly Task<T, Wait>[]) {
      const done: T[] = [];
      const ends = tasks.map(
        (task) =>
          new Promise<void>((resolve) =>
            clock.start(task, (value) => {
              done.push(value);
              resolve();
            }),
          ),
      );
      yield Promise.all(ends).then(() => undefined);
      return done;
    },
  };
}

function* find(
  server: Server,
  wanted: Omit<ObjectReference, 'namespace'>,
  namespace: string,
): Task<Lookup, Wait> {
  const place = placeOrEnd(server.types, wanted, namespace);
  if (place.kind !== 'at') return place;
  const { type } = place;
  const { name, kind } = wanted;
  const { record, problem } = yield* server.get({ type, namespace: place.namespace, name });
  if (problem) return { kind: 'no-answer', because: problem.message };
  if (record) return { kind: 'found', record };
  const where = type.namespaced ? ` in namespace ${place.namespace}` : '';
  return {
    kind: 'absent',
    namespaced: type.namespaced,
    because: `there is no ${kind} ${name}${where}`,
  };
}

function* deleteAsJudged(
  server: Server,
  judged: ObjectRecord,
  policy: string,
): Task<Written, Wait> {
  const body = { propagationPolicy: policy };
  const deletion = { verb: 'delete', path: pathOf(judged), body } as const;
  const { uid, resourceVersion } = judged;
  const first = yield* server.send({ ...deletion, guards: { uid, resourceVersion } });
  if (first.outcome !== 'changed') return deleted(first);
  const { record, problem } = yield* server.get(judged);
  if (problem) return deleted(first);
  if (!record) return deleted({ ...first, outcome: 'gone', code: 404 });
  const isSame =
    record.uid === uid && sameReferences(record.ownerReferences, judged.ownerReferences);
  if (!isSame) return deleted(first);
  return deleted(yield* server.send({ ...deletion, guards: { uid } }));
}

/** The server answers with the object while a finalizer or a grace period blocks it. */
function deleted(answer: WriteAnswer): Written {
  const written = writtenOf(answer, 'GC-33');
  return written.result === 'changed' ? { ...written, result: 'terminating' } : written;
}

function* patchReferences(
  server: Server,
  node: OwnershipNode,
  record: ObjectRecord,
  patch: ReferencePatch,
): Task<Written, Wait> {
  const path = pathOf(record);
  const { uid } = node.identity;
  const shared = { verb: 'patch', path, metadataOnly: true } as const;
  const strategic = yield* server.send({
    ...shared,
    patchType: 'strategic',
    body: { metadata: { ownerReferences: patch.strategic } },
    guards: { uid },
  });
  if (strategic.code !== unsupportedMediaType) return writtenOf(strategic, 'GC-31');
  const cached = node.seen ?? (yield* server.get(record)).record;
  if (!cached) return writtenOf({ ...strategic, outcome: 'gone', code: 404 }, 'GC-31');
  const merge = yield* server.send({
    ...shared,
    patchType: 'merge',
    body: { metadata: { ownerReferences: patch.replace(cached).map((one) => ({ ...one })) } },
    guards: { uid: cached.uid, resourceVersion: cached.resourceVersion },
  });
  return writtenOf(merge, 'GC-31');
}

function pathOf({ type, namespace, name }: ObjectRecord): string {
  return objectPath(type, namespace, name);
}
