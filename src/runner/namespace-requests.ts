import { objectPath } from '../cluster/api-path.ts';
import { discover } from '../cluster/list/discover.ts';
import { fetchOne } from '../cluster/list/fetch-manifests.ts';
import { listObjects } from '../cluster/list/list-objects.ts';
import { defaultRetryPolicy } from '../cluster/pacing.ts';
import type { WriteAnswer } from '../cluster/write/write-answer.ts';
import { updateOf } from '../cluster/write/write-request.ts';
import { errorMessage } from '../errors.ts';
import { namespaceType } from '../kube/core-types.ts';
import { fieldsOf } from '../kube/json-value.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { referenceTo } from '../kube/object-reference.ts';
import { recordOf } from '../kube/record-codec.ts';
import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import type { Task } from '../simulator/engine/clock.ts';
import type { Timeline } from '../simulator/engine/timeline.ts';
import type { NamespaceRequests, Remaining } from '../simulator/namespaces/namespace-controller.ts';
import { answerOf, type Wait } from './real-clock.ts';
import { type Server, writtenOf } from './server.ts';

/** The namespace controller's requests to a real API server. */
export function namespaceRequests(server: Server, timeline: Timeline): NamespaceRequests<Wait> {
  const { client, signal } = server;
  return {
    *get(name) {
      const location = { type: namespaceType, namespace: '', name };
      const options = { facts: true, retry: defaultRetryPolicy };
      return (yield* server.get(location, options)).record;
    },
    *writeStatus(namespace, facts) {
      if (facts === undefined) return undefined;
      const { name, uid, resourceVersion } = namespace;
      const { object } = yield* server.send({
        verb: 'patch',
        path: `${objectPath(namespaceType, '', name)}/status`,
        patchType: 'merge',
        body: { status: facts },
        guards: { uid, resourceVersion },
      });
      return object && recordOf(object, namespaceType);
    },
    *discover() {
      const found = yield* answerOf(
        discover(client, { signal }).then(
          ({ types }) => ({ types, errors: types.failed.map(({ message }) => message) }),
          (error: unknown) => ({ types: server.types, errors: [errorMessage(error)] }),
        ),
      );
      const types = found.types
        .preferred()
        .filter(({ namespaced, verbs }) => namespaced && verbs.includes('delete'));
      return { types, errors: found.errors };
    },
    inOrder: (types) => types,
    deleteAll: (type, namespace) => deleteAll(server, type, namespace),
    *finalize(namespace, leftOf) {
      const wanted = { object: referenceTo(namespace), type: namespaceType };
      const fetched = yield* answerOf(fetchOne(client, wanted, { signal }));
      if (!('manifest' in fetched)) return;
      const { manifest } = fetched;
      const current = recordOf(manifest, namespaceType);
      if (current.uid !== namespace.uid) return;
      const path = `${objectPath(namespaceType, '', current.name)}/finalize`;
      const spec = { ...fieldsOf(manifest.spec), finalizers: leftOf(current) };
      const answer = yield* server.send(updateOf(path, manifest, { spec }));
      const { result } = writtenOf(answer, 'GC-71');
      timeline.note('namespace-controller', 'finalize', current, result, () => ({
        because: 'the namespace is empty',
        rule: 'GC-71',
      }));
    },
    now: Date.now,
  };
}

/** DELETECOLLECTION, or where a kind has none, one DELETE after the other. */
function* deleteAll(
  server: Server,
  type: ResourceType,
  { name: namespace }: ObjectRecord,
): Task<Remaining, Wait> {
  // How long pods have been given is asked of them alone.
  const isPods = groupResourceOf(type) === 'pods';
  const before = isPods ? yield* listKind(server, type, namespace) : [];
  if ('error' in before) return before;
  const deletion = { verb: 'delete', body: { propagationPolicy: 'Background' } } as const;
  const answers: WriteAnswer[] = [];
  if (type.verbs.includes('deletecollection')) {
    answers.push(yield* server.send({ ...deletion, path: objectPath(type, namespace) }));
  } else {
    const each = yield* listKind(server, type, namespace);
    if ('error' in each) return each;
    for (const { name, uid } of each) {
      const path = objectPath(type, namespace, name);
      answers.push(yield* server.send({ ...deletion, path, guards: { uid } }));
    }
  }
  const refused = answers.find(({ outcome }) => outcome !== 'done' && outcome !== 'gone');
  if (refused) return { before, error: refused.message };
  const after = yield* listKind(server, type, namespace);
  return 'error' in after ? after : { before, after };
}

function* listKind(
  { client, signal }: Server,
  type: ResourceType,
  namespace: string,
): Task<readonly ObjectRecord[] | { before: []; error: string }, Wait> {
  const facts = groupResourceOf(type) === 'pods';
  return yield* answerOf(
    listObjects(client, type, namespace, { freshness: 'latest', facts, signal }).then(
      ({ records }) => records,
      (error: unknown) => ({ before: [] as [], error: errorMessage(error) }),
    ),
  );
}
