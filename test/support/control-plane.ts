import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findControlPlane,
  missingControlPlane,
  wantedVersion,
} from '../../scripts/control-plane.mjs';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';
import { refuseUnboundWrites } from './bound-writes.ts';
import { type Cluster, connect } from './cluster.ts';
import {
  apiServerArgs,
  controllerManagerArgs,
  etcdArgs,
  layOut,
  type TokenUser,
} from './control-plane-layout.ts';
import { freePorts, guard, type ServerProcess, startServer } from './control-plane-processes.ts';
import { customTypes, putIntoEtcd } from './etcd-storage.ts';

export interface ControlPlaneOptions {
  /** kube-controller-manager's --controllers: names, `*`, `-name`. */
  readonly controllers: readonly string[] | 'none';
  /** More flags for kube-controller-manager; a flag given here wins over the default. */
  readonly controllerArgs?: readonly string[];
  /** More flags for kube-apiserver. */
  readonly apiServerArgs?: readonly string[];
  /** Stored before the API server starts, uid and times as given. */
  readonly objects?: readonly KubeObject[];
  /** CustomResourceDefinitions, served before the controllers start. */
  readonly definitions?: readonly KubeObject[];
  /** Users who log in with a bearer token; any user can with a client certificate. */
  readonly tokens?: readonly TokenUser[];
  /** That of KUBECTL_GC_CONTROL_PLANE_VERSION by default, or v1.36.3. */
  readonly version?: string;
}

/** A real etcd, kube-apiserver and, while controllers run, kube-controller-manager on 127.0.0.1. */
export interface ControlPlane extends Cluster {
  /** Starts kube-controller-manager; resolves when it is healthy and its garbage collector, if any, has synced. */
  startControllers(controllers: readonly string[], args?: readonly string[]): Promise<void>;
  stopControllers(): Promise<void>;
  /** What the running kube-controller-manager has logged. */
  controllerLog(): string;
  /** Process ids of the servers that run, in the order they were started. */
  pids(): number[];
  /** Ends all servers and removes their files; may be called again. */
  stop(): Promise<void>;
}

/** What the API server makes by itself after it has said that it is ready. */
const madeAfterReady = [
  '/api/v1/namespaces/default',
  '/api/v1/namespaces/kube-system',
  '/api/v1/namespaces/kube-public',
  '/api/v1/namespaces/kube-node-lease',
  '/api/v1/namespaces/default/services/kubernetes',
];

/** Starts a control plane. The caller stops it; if the caller's process dies, it ends as well. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  try {
    return await startOnce(options);
  } catch (error) {
    // Between finding a port free and using it, somebody else may have taken it.
    if (!`${error}`.includes('address already in use')) throw error;
    return startOnce(options);
  }
}

async function startOnce(options: ControlPlaneOptions): Promise<ControlPlane> {
  const binaries = findControlPlane(options.version);
  if (!binaries) throw new Error(missingControlPlane(options.version));
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-gc-control-plane-'));
  const release = guard(directory);
  const layout = layOut(directory, await freePorts(4), options.tokens ?? []);
  const cluster = connect({ ...layout, binaries, serverVersion: '' });
  const servers: ServerProcess[] = [];
  let manager: ServerProcess | undefined;

  function start(name: string, args: readonly string[]): ServerProcess {
    const server = startServer(directory, join(binaries ?? '', name), args);
    servers.push(server);
    return server;
  }

  async function stop(): Promise<void> {
    cluster.disconnect();
    for (const server of servers.splice(0).reverse()) await server.stop();
    try {
      refuseUnboundWrites(directory, options.apiServerArgs);
    } finally {
      await release();
    }
  }

  async function startControllers(controllers: readonly string[], args: readonly string[] = []) {
    if (manager) throw new Error('controllers already run');
    const list = `--controllers=${controllers.join()}`;
    const started = start('kube-controller-manager', [
      ...controllerManagerArgs(layout),
      list,
      ...args,
    ]);
    manager = started;
    await started.until(() => cluster.isHealthy(`${layout.manager}/healthz`));
    if (collectsGarbage(controllers) && !args.includes('--enable-garbage-collector=false')) {
      await started.until(async () => started.log().includes('Proceeding to collect garbage'));
    }
  }

  async function stopControllers(): Promise<void> {
    const stopped = manager;
    manager = undefined;
    if (!stopped) return;
    servers.splice(servers.indexOf(stopped), 1);
    await stopped.stop();
  }

  try {
    const etcd = start('etcd', etcdArgs(layout));
    await etcd.until(async () => (await fetch(`${layout.etcd}/readyz`)).ok);
    const definitions = options.definitions ?? [];
    const custom = definitions.flatMap(customTypes);
    await putIntoEtcd(layout.etcd, options.objects ?? [], (apiVersion, kind) =>
      custom.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion),
    );
    const apiServer = start('kube-apiserver', [
      ...apiServerArgs(layout, options.version ?? wantedVersion()),
      ...(options.apiServerArgs ?? []),
    ]);
    await apiServer.until(() => cluster.isHealthy('/readyz'));
    for (const path of madeAfterReady) await apiServer.until(() => cluster.isHealthy(path));
    for (const definition of definitions) await define(cluster, apiServer, definition);
    const { gitVersion } = await cluster.get<{ gitVersion: string }>('/version');
    if (options.controllers !== 'none') {
      await startControllers(options.controllers, options.controllerArgs);
    }
    return {
      ...cluster,
      serverVersion: gitVersion,
      startControllers,
      stopControllers,
      controllerLog: () => manager?.log() ?? '',
      pids: () => servers.map(({ pid }) => pid),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates a CustomResourceDefinition and waits until every version of it answers lists and is discovered. */
async function define(cluster: Cluster, server: ServerProcess, definition: KubeObject) {
  await cluster.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  for (const type of customTypes(definition)) {
    const groupVersion = `/apis/${apiVersionOf(type)}`;
    await server.until(async () => {
      const { resources } = await cluster.get<{ resources: { name: string }[] }>(groupVersion);
      return resources.some(({ name }) => name === type.resource);
    });
    await server.until(() => cluster.isHealthy(`${groupVersion}/${type.resource}`));
  }
}

function collectsGarbage(controllers: readonly string[]): boolean {
  const name = 'garbage-collector-controller';
  if (controllers.includes(`-${name}`)) return false;
  return controllers.includes('*') || controllers.includes(name);
}
