import { findInvalidReferences } from '../../audit/invalid-references.ts';
import { askingOnce } from '../../cluster/asking-once.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { fromNodeProxy } from '../../cluster/from-node-proxy.ts';
import { loadOwnershipManagers } from '../../cluster/list/get-objects.ts';
import { loadSettings } from '../../cluster/settings/load-settings.ts';
import { isGcError } from '../../errors.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { encodeNodes } from '../../kubelet/saved-nodes.ts';
import { encodeSettings } from '../../settings/settings-facts.ts';
import { mostManagedObjects, objectsOf } from '../../shell/input/read-field-managers.ts';
import { readCluster } from '../../shell/input/read-question.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';
import { withProgress } from '../../shell/terminal/progress.ts';
import type { Evidence } from '../../snapshot/evidence.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { encodeAnswer, savedQueries } from '../../why/answer-from-snapshot.ts';
import { answerFromCluster } from '../../why/ask/answer-from-cluster.ts';
import type { Answer, AskedObject, Query } from '../../why/inquiry.ts';

/** Reads what any command would have read of the cluster, each thing once. */
export async function readToSave(
  cluster: OpenedCluster,
  namespace: string | undefined,
  { nodes = false, 'metadata-only': metadataOnly }: { nodes?: boolean; 'metadata-only'?: boolean },
): Promise<Snapshot> {
  if (metadataOnly) return readCluster(cluster, { namespace });
  const { client } = cluster;
  const once = askingOnce(client);
  const answer = answerFromCluster(cluster);
  const [snapshot, settings, answers] = await Promise.all([
    readCluster(cluster, { namespace, facts: 'all', confirmOwnersOf: 'newer' }),
    // What could not be read of settings stands among their own problems.
    loadSettings(once, { kubelets: nodes }),
    Promise.all(savedQueries.map(async (query) => encodeAnswer(query, await answer(query)))),
  ]);
  const seen = nodes
    ? await withProgress('Reading nodes', (progress) =>
        evidenceOfNodes(once, (text) => progress.update(text)),
      )
    : undefined;
  const fieldManagers = await withProgress('Reading who set references and finalizers', () =>
    loadOwnershipManagers(client, objectsInQuestion(snapshot)),
  );
  const evidence: Evidence = {
    settings: encodeSettings(settings),
    answers,
    ...(seen && { nodes: seen }),
    fieldManagers,
  };
  return { ...snapshot, records: await withStatus(snapshot.records, answer), evidence };
}

/** Lists of custom resources have no status; those that are being deleted report there what keeps them. */
async function withStatus(
  records: readonly ObjectRecord[],
  answer: (query: Query) => Promise<Answer>,
): Promise<readonly ObjectRecord[]> {
  const wanted = records
    .filter(
      (record) => isBeingDeleted(record) && !record.facts && !isBuiltInGroup(record.type.group),
    )
    .slice(0, mostManagedObjects);
  const read = await Promise.all(
    wanted.map(async ({ type, namespace, name }) => {
      const found = await answer({ ask: 'object', type, namespace, name });
      return 'value' in found ? (found.value as AskedObject | undefined) : undefined;
    }),
  );
  const factsOf = new Map(read.map((found) => [found?.uid, found?.facts]));
  return records.map((record) => {
    const facts = factsOf.get(record.uid);
    return facts ? { ...record, facts } : record;
  });
}

/** Undefined where Nodes may not be listed, which the problems of settings say. A cluster may have none. */
async function evidenceOfNodes(
  client: ClusterClient,
  report: (text: string) => void,
): Promise<Evidence['nodes']> {
  try {
    const onProgress = (done: number, total: number) =>
      report(`Reading nodes: ${done} of ${total}`);
    return encodeNodes(
      await fromNodeProxy(client, { names: [] }, { kubeletStart: true, onProgress }),
    );
  } catch (error) {
    if (!isGcError(error)) throw error;
    return error.code === 'no-such-node' ? [] : undefined;
  }
}

/** Objects of which commands say who set a reference or a finalizer. */
function objectsInQuestion(snapshot: Snapshot): readonly ObjectRecord[] {
  const ending = snapshot.records.filter(
    (record) => isBeingDeleted(record) && record.finalizers.length > 0,
  );
  const wrong = findInvalidReferences(buildGraph(snapshot), () => true);
  return [...new Set([...ending.slice(0, mostManagedObjects), ...objectsOf(wrong)])];
}
