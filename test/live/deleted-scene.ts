import type { RemovalCause } from '../../src/history/deletions/removal.ts';
import type { Answer, KubectlResult } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { typeOfKind } from '../support/object-address.ts';
import type { TrueLink, TrueObject, TrueRemoval } from '../support/true-removals.ts';
import { type Actor, type Stage, userOf } from './deleted-stage.ts';

interface Named {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
}

/** An object as it was before its deletion. */
export interface Doomed extends TrueObject {
  readonly group: string;
  readonly resource: string;
  readonly path: string;
  readonly uid: string;
}

type Extras = Pick<TrueRemoval, 'endedBy' | 'recreatedBy' | 'earlier'>;

/** `Pod web` of the scene's namespace, `Node worker-1`. */
type Short = string;

/** Prepares a scene and resolves with what plays it. */
export type Scenario = (scene: Scene) => Promise<() => Promise<unknown>>;

export type Scene = ReturnType<typeof sceneOf>;

/** One scenario's namespace, and the truth of what is deleted in it. */
export function sceneOf(stage: Stage, id: string) {
  const { plane } = stage;
  const namespace = id;
  const removals: TrueRemoval[] = [];

  function locate(text: Short): TrueObject & { group: string; resource: string; path: string } {
    const [kind = '', place = ''] = text.split(' ');
    const { group, version, resource, namespaced } = typeOfKind(kind);
    const [name = '', elsewhere = namespace] = place.split('/').reverse();
    const home = namespaced ? elsewhere : '';
    const base = group === '' ? '/api/v1' : `/apis/${group}/${version}`;
    const folder = `${base}${home === '' ? '' : `/namespaces/${home}`}/${resource}`;
    const path = name === '' ? folder : `${folder}/${name}`;
    return { kind, namespace: home, name, group, resource, path };
  }

  const pathOf = (text: Short) => locate(text).path;

  async function make<T = Named>(
    text: Short,
    { metadata, ...content }: { metadata?: object; [field: string]: unknown } = {},
  ) {
    const { kind, name, path, group } = locate(text);
    const { version } = typeOfKind(kind);
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const collection = path.slice(0, path.lastIndexOf('/'));
    return plane.create<T>(collection, {
      apiVersion,
      kind,
      metadata: { name, ...metadata },
      ...content,
    });
  }

  /** The object by this name, as it is now. */
  async function doomed(text: Short): Promise<Doomed> {
    const found = await eventually(text, () => plane.find<Named>(pathOf(text)));
    return { ...locate(text), uid: found.metadata.uid };
  }

  /** The objects of a kind in the namespace, once there are that many that are not being deleted. */
  async function all(kind: string, count: number, isMeant = (_: Named) => true): Promise<Doomed[]> {
    return eventually(`${count} ${kind} in ${namespace}`, async () => {
      const found = await plane.list<Named>(pathOf(`${kind} `));
      const meant = found.filter((one) => isMeant(one) && !one.metadata.deletionTimestamp);
      if (meant.length !== count) return undefined;
      return meant.map(({ metadata }) => ({
        ...locate(`${kind} ${metadata.name}`),
        uid: metadata.uid,
      }));
    });
  }

  async function only(kind: string, isMeant?: (one: Named) => boolean): Promise<Doomed> {
    const [one] = await all(kind, 1, isMeant);
    if (!one) throw new Error(kind);
    return one;
  }

  /** Until no object of that uid exists any more. */
  const gone = (...objects: readonly Doomed[]) =>
    Promise.all(
      objects.map(({ path, uid }) =>
        eventually(`the end of ${path}`, async () => {
          const { status, body } = await plane.request(path);
          return status === 404 || (status === 200 && !body.includes(uid));
        }),
      ),
    );

  async function send(actor: Actor, method: string, at: Short, body?: unknown): Promise<Answer> {
    const path = at.startsWith('/') ? at : pathOf(at);
    const answer = await stage.send(actor, method, path, body);
    if (answer.status >= 400) throw new Error(`${actor} ${method} ${path}: ${answer.body}`);
    return answer;
  }

  /** The real kubectl, in the scene's namespace; refuses to go on where it fails. */
  async function kubectl(actor: Actor, line: string, input?: string): Promise<KubectlResult> {
    const run = await tryKubectl(actor, line, input);
    if (run.code !== 0) throw new Error(`${namespace}: kubectl ${line}: ${run.stderr}`);
    return run;
  }

  const tryKubectl = (actor: Actor, line: string, input?: string) =>
    plane.kubectl([...line.split(' '), `--namespace=${namespace}`], {
      kubeconfig: stage.kubeconfig(actor),
      ...(input && { input }),
    });

  const plain = (one: Short | TrueObject): TrueObject => {
    const { kind, namespace: home, name } = typeof one === 'string' ? locate(one) : one;
    return { kind, namespace: home, name };
  };
  const link =
    (cause: RemovalCause, controller?: string) =>
    (one: Short | TrueObject): TrueLink => ({
      object: plain(one),
      cause,
      ...(controller && { controller }),
    });

  function truth(what: string, object: Doomed, ...links: readonly TrueLink[]) {
    truths(what, object, [links]);
  }

  function truths(
    what: string,
    { path: _, ...object }: Doomed,
    chains: readonly (readonly TrueLink[])[],
    extras: Extras = {},
  ) {
    removals.push({ id: `${id}/${what}`, ...object, chains, ...extras });
  }

  return {
    stage,
    plane,
    namespace,
    removals,
    locate,
    pathOf,
    make,
    doomed,
    all,
    only,
    gone,
    send,
    kubectl,
    tryKubectl,
    truth,
    truths,
    owner: link('owner', 'generic-garbage-collector'),
    inNamespace: link('namespace', 'namespace-controller'),
    byDefinition: link('definition'),
    unknown: link('unknown'),
    byController: (one: Short | TrueObject, controller: string, rule?: string): TrueLink => ({
      ...link('controller', controller)(one),
      ...(rule && { rule }),
    }),
    request: (one: Short | TrueObject, actor: Actor, impersonated?: string): TrueLink => ({
      ...link('request')(one),
      user: userOf(actor),
      ...(impersonated && { impersonated }),
    }),
    change: (one: Short | TrueObject, actor: Actor): TrueLink => ({
      ...link('change')(one),
      user: userOf(actor),
    }),
    optional: (one: TrueLink): TrueLink => ({ ...one, isOptional: true }),
    /** A pod's containers end: its kubelet deletes it. */
    endOnNode: (pod: Doomed, node: Actor) =>
      send(node, 'DELETE', pod.path, { gracePeriodSeconds: 0, preconditions: { uid: pod.uid } }),
  };
}

export const labels = { app: 'web' };
export const podSpec = (more: object = {}) => ({
  containers: [{ name: 'main', image: 'example.com/web:1' }],
  ...more,
});
export const podTemplate = (more: object = {}) => ({ metadata: { labels }, spec: podSpec(more) });
export const workload = (replicas: number, more: object = {}, pod: object = {}) => ({
  spec: { replicas, selector: { matchLabels: labels }, template: podTemplate(pod), ...more },
});
export const reference = (
  kind: string,
  { name, uid }: { name: string; uid: string },
  more: object = {},
) => {
  const { group, version } = typeOfKind(kind);
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { apiVersion, kind, name, uid, ...more };
};

/** Its kubelet reports it ready. */
export async function running(scene: Scene, path: string, node: string): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'True' }];
  const actor = `system:node:${node}` as 'system:node:worker-1';
  await scene.send(actor, 'PATCH', `${path}/status`, { status: { phase: 'Running', conditions } });
}

/** Until it has a deletion timestamp. */
export async function ending(scene: Scene, path: string): Promise<void> {
  await eventually(`the deletion of ${path}`, async () => {
    const found = await scene.plane.find<{ metadata: { deletionTimestamp?: string } }>(path);
    return found?.metadata.deletionTimestamp !== undefined;
  });
}
