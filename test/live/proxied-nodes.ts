import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import {
  type NodeEndpoint,
  type NodeTunnel,
  startNodeEndpoint,
  startNodeTunnel,
} from './node-endpoints.ts';

const GiB = 2 ** 30;

/** A kubelet that answers; no real one can run here. */
export interface ProxiedKubelet {
  /** What its configuration says otherwise than the others'. */
  readonly settings?: object;
  /** Of 40 GiB. */
  readonly availableGiB: number;
  /** Whether a pod runs that uses the first image. */
  readonly hasPod: boolean;
  /** When it started; in seconds. */
  readonly started: number;
}

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const images = [
  { names: [`example.com/web@${digest('a')}`, 'example.com/web:2'], sizeBytes: GiB },
  { names: [`example.com/web@${digest('b')}`, 'example.com/web:1'], sizeBytes: 2 * GiB },
  { names: ['example.com/job:1'], sizeBytes: 3 * GiB },
];

function answersOf(nodeName: string, kubelet: ProxiedKubelet) {
  const disk = {
    time: '2026-01-01T12:00:00Z',
    availableBytes: kubelet.availableGiB * GiB,
    capacityBytes: 40 * GiB,
    inodesFree: 900_000,
    inodes: 1_000_000,
  };
  const container = {
    name: 'web',
    image: 'example.com/web:2',
    imageID: `example.com/web@${digest('a')}`,
    containerID: 'containerd://c1',
    state: { running: { startedAt: '2026-01-01T11:00:00Z' } },
    lastState: {
      terminated: { containerID: 'containerd://c0', startedAt: '2026-01-01T10:00:00Z' },
    },
  };
  const pod = {
    metadata: { name: 'web-1', namespace: 'shop', uid: 'uid-web' },
    spec: { nodeName },
    status: { phase: 'Running', containerStatuses: [container] },
  };
  return {
    '/configz': {
      kubeletconfig: {
        imageMinimumGCAge: '2m0s',
        imageMaximumGCAge: '0s',
        imageGCHighThresholdPercent: 85,
        imageGCLowThresholdPercent: 80,
        nodeStatusMaxImages: 50,
        evictionHard: { 'imagefs.available': '15%', 'nodefs.available': '10%' },
        ...kubelet.settings,
      },
    },
    '/stats/summary': {
      node: {
        nodeName,
        memory: { availableBytes: 4 * GiB, workingSetBytes: 4 * GiB },
        fs: disk,
        runtime: { imageFs: disk, containerFs: disk },
      },
      pods: [],
    },
    '/pods': { kind: 'PodList', apiVersion: 'v1', items: kubelet.hasPod ? [pod] : [] },
    '/metrics': `process_start_time_seconds ${kubelet.started}\n`,
    '/flagz': 'kubelet flagz\n\nmaximum-dead-containers-per-container=0\nv=2\n',
  };
}

/** A control plane without controllers, whose API server reaches the kubelets of its Nodes. */
export class ProxiedNodes {
  readonly plane: ControlPlane;
  readonly #tunnel: NodeTunnel;
  readonly #kubelets: NodeEndpoint[] = [];

  private constructor(plane: ControlPlane, tunnel: NodeTunnel) {
    this.plane = plane;
    this.#tunnel = tunnel;
  }

  static async start(folder: string, ...apiServerArgs: readonly string[]): Promise<ProxiedNodes> {
    const tunnel = await startNodeTunnel(folder);
    const egress = join(folder, 'egress.json');
    writeFileSync(egress, tunnel.egressConfiguration);
    const own = [
      `--egress-selector-config-file=${egress}`,
      '--kubelet-certificate-authority=ca.crt',
    ];
    const plane = await startControlPlane({
      controllers: 'none',
      apiServerArgs: [...own, ...apiServerArgs],
    });
    return new ProxiedNodes(plane, tunnel);
  }

  /** Adds a Node; without a kubelet, none answers at its address. */
  async add(name: string, pool: string, kubelet?: ProxiedKubelet, more: object = {}) {
    const address = `10.1.0.${this.#kubelets.length + 1}`;
    if (kubelet) {
      const answers = answersOf(name, kubelet);
      const endpoint = await startNodeEndpoint(this.plane.authority, address, answers);
      this.#tunnel.route(address, endpoint);
      this.#kubelets.push(endpoint);
    }
    await this.plane.make(`Node ${name}`, { metadata: { labels: { pool } } });
    const status = {
      images,
      addresses: [{ type: 'InternalIP', address }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      ...more,
    };
    await this.plane.patch(`/api/v1/nodes/${name}/status`, { status });
  }

  /** The paths that kubelets were asked for since the last call. */
  asked(): readonly string[] {
    return this.#kubelets.flatMap((kubelet) => kubelet.asked.splice(0));
  }

  async stop(): Promise<void> {
    await this.plane.stop();
    await this.#tunnel.stop();
    for (const kubelet of this.#kubelets) await kubelet.stop();
  }
}
