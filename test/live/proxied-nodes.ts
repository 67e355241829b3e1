import { writeFileSync } from 'node:fs';
import { createServer as createProxy, type Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { issueCertificate } from '../support/certificates.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';

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

/**
 * A control plane without controllers, whose API server reaches the kubelets of its Nodes. An API server never asks a Node at
 * a loopback address, so its requests take a tunnel to this machine.
 */
export class ProxiedNodes {
  readonly plane: ControlPlane;
  readonly #tunnel: HttpServer;
  /** The port of the kubelet that has an address. */
  readonly #ports: Map<string, number>;
  readonly #kubelets: Server[] = [];
  readonly #asked: string[] = [];

  private constructor(plane: ControlPlane, tunnel: HttpServer, ports: Map<string, number>) {
    this.plane = plane;
    this.#tunnel = tunnel;
    this.#ports = ports;
  }

  /** The tunnel listens on a socket in `folder`. */
  static async start(folder: string, ...apiServerArgs: readonly string[]): Promise<ProxiedNodes> {
    const ports = new Map<string, number>();
    const udsName = join(folder, 'tunnel.sock');
    const tunnel = createTunnel(ports);
    await new Promise<void>((resolve) => tunnel.listen(udsName, resolve));
    const connection = { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName } } };
    const egress = join(folder, 'egress.json');
    writeFileSync(
      egress,
      JSON.stringify({
        ...{ apiVersion: 'apiserver.k8s.io/v1beta1', kind: 'EgressSelectorConfiguration' },
        egressSelections: [{ name: 'cluster', connection }],
      }),
    );
    const own = [
      `--egress-selector-config-file=${egress}`,
      '--kubelet-certificate-authority=ca.crt',
    ];
    const plane = await startControlPlane({
      controllers: 'none',
      apiServerArgs: [...own, ...apiServerArgs],
    });
    return new ProxiedNodes(plane, tunnel, ports);
  }

  /** Adds a Node; without a kubelet, none answers at its address. */
  async add(name: string, pool: string, kubelet?: ProxiedKubelet, more: object = {}) {
    const address = `10.1.0.${this.#kubelets.length + 1}`;
    if (kubelet) await this.#serve(address, answersOf(name, kubelet));
    await this.plane.make(`Node ${name}`, { metadata: { labels: { pool } } });
    await this.plane.report(`Node ${name}`, {
      images,
      addresses: [{ type: 'InternalIP', address }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      ...more,
    });
  }

  /** Answers are JSON, or text where they are strings; anything else is a 404. */
  async #serve(address: string, answers: Readonly<Record<string, unknown>>): Promise<void> {
    const subject = { commonName: 'kubelet', addresses: [address] };
    const { certificate, key } = issueCertificate(this.plane.authority, subject);
    const server = createServer({ cert: certificate, key }, (request, response) => {
      const { pathname } = new URL(request.url ?? '/', `https://${address}`);
      this.#asked.push(pathname);
      const answer = answers[pathname];
      const isText = typeof answer === 'string';
      response.writeHead(answer === undefined ? 404 : 200, {
        'content-type': isText ? 'text/plain' : 'application/json',
      });
      response.end(isText ? answer : JSON.stringify(answer ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#ports.set(address, (server.address() as AddressInfo).port);
    this.#kubelets.push(server);
  }

  /** The paths that kubelets were asked for since the last call. */
  asked(): readonly string[] {
    return this.#asked.splice(0);
  }

  async stop(): Promise<void> {
    await this.plane.stop();
    for (const server of [this.#tunnel, ...this.#kubelets]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}

function createTunnel(ports: ReadonlyMap<string, number>): HttpServer {
  const proxy = createProxy();
  // Of those that became tunnels the proxy knows nothing any more, and would wait for their end.
  const sockets = new Set<Socket>();
  proxy.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  proxy.on('connect', ({ url = '' }, socket) => {
    const port = ports.get(url.slice(0, url.lastIndexOf(':')));
    if (port === undefined) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    for (const end of [socket, target]) end.on('error', () => end.destroy());
    socket.on('close', () => target.destroy());
  });
  const closeAll = proxy.closeAllConnections.bind(proxy);
  proxy.closeAllConnections = () => {
    for (const socket of sockets) socket.destroy();
    closeAll();
  };
  return proxy;
}
