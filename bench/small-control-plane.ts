import { join } from 'node:path';
import type { KubeObject } from '../src/kube/record-codec.ts';
import { type ControlPlane, startControlPlane } from '../test/support/control-plane.ts';
import { eventually } from '../test/support/eventually.ts';
import type { Command } from './in-turns.ts';

type Prepare = () => Promise<void>;

/** A control plane with one namespace, for a Deployment `web` with three pods and a ConfigMap `one`. */
export interface SmallControlPlane {
  readonly plane: ControlPlane;
  /** A line of `kubectl gc`, as built, about the namespace. */
  gc(name: string, args: string, prepare?: Prepare): Command;
  kubectl(name: string, args: string, prepare?: Prepare): Command;
  /** A program that looks for its cluster where kubectl does. */
  line(name: string, argv: Command['argv'], prepare?: Prepare): Command;
  makeDeployment(): Promise<void>;
  makeConfigMap(): Promise<void>;
  namesOf(resource: 'pods' | 'replicasets'): Promise<string[]>;
}

export const namespace = 'bench';

const bin = new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;
const controllers = ['deployment', 'replicaset', 'garbage-collector', 'serviceaccount'];

export async function startSmall(): Promise<SmallControlPlane> {
  const plane = await startControlPlane({
    controllers: controllers.map((name) => `${name}-controller`),
  });

  function line(name: string, argv: Command['argv'], prepare?: Prepare): Command {
    const command = { name, argv, env: { KUBECONFIG: plane.kubeconfigPath } };
    return prepare ? { ...command, prepare } : command;
  }

  function gc(name: string, args: string, prepare?: Prepare): Command {
    const argv = [process.execPath, bin, ...args.split(' '), '-n', namespace] as const;
    return line(`kubectl gc ${name}`, argv, prepare);
  }

  function kubectl(name: string, args: string, prepare?: Prepare): Command {
    const argv = [join(plane.binaries, 'kubectl'), ...args.split(' '), '-n', namespace] as const;
    return line(`kubectl ${name}`, argv, prepare);
  }

  async function makeDeployment() {
    const labels = { app: 'web' };
    const containers = [{ name: 'c', image: 'x' }];
    const template = { metadata: { labels }, spec: { containers } };
    await plane.request(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
      method: 'POST',
      body: {
        metadata: { name: 'web' },
        spec: { replicas: 3, selector: { matchLabels: labels }, template },
      },
    });
    await eventually('three pods', async () => (await namesOf('pods')).length === 3 || undefined);
  }

  async function makeConfigMap() {
    await plane.request(`/api/v1/namespaces/${namespace}/configmaps`, {
      method: 'POST',
      body: { metadata: { name: 'one' } },
    });
  }

  async function namesOf(resource: 'pods' | 'replicasets'): Promise<string[]> {
    const root = resource === 'pods' ? '/api/v1' : '/apis/apps/v1';
    const path = `${root}/namespaces/${namespace}/${resource}`;
    const { items } = await plane.get<{ items: KubeObject[] }>(path);
    return items.map(({ metadata }) => String(metadata.name));
  }

  try {
    await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
    await makeDeployment();
  } catch (error) {
    await plane.stop();
    throw error;
  }
  return { plane, gc, kubectl, line, makeDeployment, makeConfigMap, namesOf };
}
