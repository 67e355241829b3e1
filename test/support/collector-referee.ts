import { setTimeout as sleep } from 'node:timers/promises';
import { objectPath } from '../../src/cluster/api-path.ts';
import { connect } from '../../src/cluster/connection/connect.ts';
import { fromCluster } from '../../src/cluster/from-cluster.ts';
import { discover } from '../../src/cluster/list/discover.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { type KubeObject, objectOf, recordOf } from '../../src/kube/record-codec.ts';
import { isDeletable, type ResourceType } from '../../src/kube/resource-type.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { builderOf } from './builders.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { exampleDefinitions } from './custom-resources.ts';

const collector = 'garbage-collector-controller';
/** Longer than the collector takes for anything it does once everything is in its graph. */
const quietSeconds = 8;

/** Objects on a real control plane whose only controller is the garbage collector. */
export interface Referee {
  readonly plane: ControlPlane;
  /** What we see before the collector runs. */
  snapshot(): Promise<Snapshot>;
  /** Starts the collector, if it does not run yet, and waits until it has nothing left to do. */
  settle(): Promise<void>;
  /** What is left of an object, found by uid. */
  endOf(record: ObjectRecord): ObjectRecord | undefined;
}

/** Loads objects, uids and times as they are, while no controller runs. */
export async function startReferee(records: readonly ObjectRecord[]): Promise<Referee> {
  const plane = await startControlPlane({ controllers: 'none', definitions: exampleDefinitions });
  const types = [...new Set(records.map(({ type }) => type))];
  let running = false;
  let left = new Map<string, ObjectRecord>();

  async function read(): Promise<Map<string, ObjectRecord>> {
    const lists = await Promise.all(
      types.map(async (type) => {
        const { items } = await plane.get<{ items: KubeObject[] }>(objectPath(type, ''));
        return items.map((item) => recordOf(item, type));
      }),
    );
    return new Map(lists.flat().map((record) => [record.uid, record]));
  }

  async function settle(): Promise<void> {
    if (!running) await plane.startControllers([collector]);
    running = true;
    let since = performance.now();
    let before = '';
    while (performance.now() - since < quietSeconds * 1000) {
      left = await read();
      const now = [...left.values()].map(({ uid, resourceVersion }) => `${uid} ${resourceVersion}`);
      const state = now.sort().join('\n');
      if (state !== before) since = performance.now();
      before = state;
      await sleep(500);
    }
  }

  async function snapshot(): Promise<Snapshot> {
    const client = await connect({ kubeconfig: plane.kubeconfigPath });
    try {
      const discovery = await discover(client);
      const isCoreEvent = ({ group, kind }: ResourceType) => group === '' && kind === 'Event';
      const types = discovery.types
        .preferred()
        .filter((type) => isDeletable(type) || isCoreEvent(type));
      return await fromCluster(client, { types }, { discovery });
    } finally {
      client.close();
    }
  }

  try {
    await plane.putObjects([...namespacesOf(records), ...records].map(stored));
    return { plane, snapshot, settle, endOf: ({ uid }) => left.get(uid) };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

const namespace = builderOf('v1', 'Namespace');

function namespacesOf(records: readonly ObjectRecord[]): ObjectRecord[] {
  const names = new Set(records.map((record) => record.namespace).filter(Boolean));
  const facts = { phase: 'Active', specFinalizers: ['kubernetes'] };
  return [...names].map((name) => namespace(name, { facts }));
}

/** What the API server misses in an object when it is asked to patch it. */
function stored(record: ObjectRecord): KubeObject {
  const object = objectOf(record);
  switch (record.type.kind) {
    case 'Pod':
      return { ...object, spec: podSpec };
    case 'Event':
      return { ...object, involvedObject: { namespace: record.namespace } };
    default:
      return object;
  }
}

const podSpec = {
  containers: [
    {
      name: 'app',
      image: 'example.com/app:1',
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePolicy: 'File',
    },
  ],
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
};
