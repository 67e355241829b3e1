import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import type { Cluster } from '../../support/cluster.ts';
import type { Run } from '../../support/command-line.ts';
import { gcHere } from '../../support/run-here.ts';
import type { ProxiedRequest, TestProxy } from '../proxy.ts';
import type { Random } from '../seeded-random.ts';
import { sortOf } from '../wire-faults/faults.ts';
import {
  arena,
  type Deed,
  deeds,
  finalizersOf,
  OtherClient,
  pick,
  type World,
  worldOf,
} from './other-client.ts';
import { momentFrom, type Race } from './run-races.ts';

/** A request of the command that changes something. */
export interface Write {
  readonly method: string;
  /** Of the object, or of its kind for a POST. */
  readonly path: string;
  readonly body: unknown;
  /** What was there when it was sent. */
  readonly before: KubeObject | undefined;
  /** The uid and the version without which the server does not take it. */
  readonly guards: Guards;
  /** Whether the Nodes that the command has asked for by name were there, as it was told last. */
  readonly nodes: ReadonlyMap<string, boolean>;
  isTaken: boolean;
}

export interface Guards {
  readonly uid?: unknown;
  readonly resourceVersion?: unknown;
  /** Fields that a JSON patch tests. */
  readonly tested: readonly string[];
}

/** One command, what it is about, and what it may do. */
export interface Course {
  readonly objects: readonly KubeObject[];
  /** Makes the stage ready once the objects are there; `run` is the command line without a disturbance. */
  readonly prepare?: (run: (line: string) => Promise<Run>, other: OtherClient) => Promise<void>;
  readonly line: () => string;
  /** Paths of what others change; what the command is about is chosen more often. */
  readonly targets: readonly string[];
  readonly keeper: string;
  /** More that may happen. */
  readonly deeds?: readonly Deed[];
  /** Is there work for the command on this object, and which, where there are several? */
  readonly isDue: (object: KubeObject, world: World) => boolean | string;
  /** What is wrong with a request, which the server may have taken. */
  readonly faultOf: (write: Write, world: World) => string | undefined;
  /** What exit code 0 claims and is not so. */
  readonly faultsOfEnd?: (world: World, writes: readonly Write[]) => readonly string[];
}

/** Lets a command run while another client changes one object, and looks at all that the command wrote. */
export class RaceStage {
  readonly #plane: Cluster;
  readonly #other: OtherClient;
  readonly #home = mkdtempSync(join(tmpdir(), 'kubectl-gc-races-'));

  constructor(plane: Cluster) {
    this.#plane = plane;
    this.#other = new OtherClient(plane);
  }

  close(): void {
    rmSync(this.#home, { recursive: true });
  }

  async race(
    seed: number,
    random: Random,
    proxy: TestProxy,
    courseOf: (random: Random, folder: string) => Course,
  ): Promise<Race> {
    const folder = mkdtempSync(join(this.#home, 'run-'));
    const course = courseOf(random, folder);
    await this.#other.clear();
    const run = (line: string) => this.#run(line, proxy, folder);
    await this.#other.put(...course.objects);
    await course.prepare?.(run, this.#other);
    const start = await worldOf(this.#plane);
    const path = pick(random, random(3) > 0 ? course.targets : [...start.keys()]);
    const deed = pick(random, [...deeds(course.keeper), ...(course.deeds ?? [])]);
    const trail = new Trail(this.#plane, this.#other, start);
    const moment = momentFrom(random, (method) => method !== 'GET', 15);
    trail.watch(proxy, async ({ method }) => {
      if (!moment.isNow(method).isNow) return false;
      await deed.work(this.#other, path);
      return true;
    });
    const first = await run(course.line());
    await trail.rest();
    trail.leave(proxy);
    const end = await worldOf(this.#plane);
    const faults = [
      ...trail.writes.flatMap((write) => course.faultOf(write, trail.world) ?? []),
      ...trail.strayed(end),
      ...wrongCode(first, course, { start, end, writes: trail.writes }),
      ...(first.code === 0 && trail.isEarly ? (course.faultsOfEnd?.(end, trail.writes) ?? []) : []),
    ];
    faults.push(...(await this.#again(course, proxy, run)));
    rmSync(folder, { recursive: true });
    const id = `${seed}: ${deed.name}: ${path}, while ${course.line()}`;
    return { id, faults, code: first.code, isDisturbed: trail.disturbed, run: first };
  }

  /** Is all done once the command runs again, without a disturbance? */
  async #again(
    course: Course,
    proxy: TestProxy,
    run: (line: string) => Promise<Run>,
  ): Promise<string[]> {
    const before = await worldOf(this.#plane);
    const trail = new Trail(this.#plane, this.#other, before);
    trail.watch(proxy, () => false);
    const again = await run(course.line());
    await trail.rest();
    trail.leave(proxy);
    const end = await worldOf(this.#plane);
    const wasDue = [...before.values()].some((one) => course.isDue(one, before) !== false);
    const left = [...end.values()].filter(
      // What is being deleted and held by others is not the command's to end.
      (one) =>
        course.isDue(one, end) !== false && !(isLeaving(one) && finalizersOf(one).length > 0),
    );
    const isHeld = [...end.values()].some((one) => isLeaving(one));
    return [
      ...left.map(({ metadata }) => `${metadata.name}: remains after the rerun: ${again.stderr}`),
      ...(wasDue && again.code !== 0 && !isHeld
        ? [`the rerun exits with ${again.code}: ${again.stderr}`]
        : []),
      ...(again.code === 0 ? (course.faultsOfEnd?.(end, trail.writes) ?? []) : []),
      ...trail.writes.flatMap((write) => course.faultOf(write, trail.world) ?? []),
      ...trail.strayed(end),
    ];
  }

  #run(line: string, proxy: TestProxy, folder: string): Promise<Run> {
    const env = { NO_COLOR: '1', KUBECTL_GC_BACKUP_DIR: join(folder, 'kept') };
    // A backup says in which namespace its objects were.
    const scope = line.startsWith('restore ') ? '' : ` -n ${arena}`;
    return gcHere(`${line}${scope} --server ${proxy.address}`, env);
  }
}

const isLeaving = ({ metadata }: KubeObject) => metadata.deletionTimestamp !== undefined;

/** What the command sent, and what the other one has made of the objects. */
class Trail {
  readonly writes: Write[] = [];
  readonly #plane: Cluster;
  readonly #other: OtherClient;
  readonly #nodes = new Map<string, boolean>();
  readonly #work: Promise<unknown>[] = [];
  /** What there would be had the command done nothing. */
  world: World;
  disturbed = false;
  /** Did the other one act before the command had changed anything? */
  isEarly = true;

  constructor(plane: Cluster, other: OtherClient, world: World) {
    this.#plane = plane;
    this.#other = other;
    this.world = world;
  }

  watch(proxy: TestProxy, disturbs: (request: ProxiedRequest) => Promise<boolean> | boolean): void {
    const sent = new Map<ProxiedRequest, Write>();
    proxy.before = async (request, body) => {
      if (!this.disturbed && (await disturbs(request))) {
        this.disturbed = true;
        this.isEarly = !this.writes.some(({ isTaken }) => isTaken);
        this.world = await worldOf(this.#plane);
      }
      const [path = ''] = request.path.split('?');
      if (/^\/api\/v1\/nodes\/[^/]+$/.test(path)) {
        this.#nodes.set(path, (await this.#other.find(path)) !== undefined);
      }
      const sort = sortOf(request, body);
      if (request.method === 'GET' || sort === 'dry run' || path.endsWith('reviews'))
        return undefined;
      const at = path.replace(/\/(status|finalize)$/, '');
      const parsed: unknown = JSON.parse(body);
      const write = {
        method: request.method,
        path: at,
        body: parsed,
        before: request.method === 'POST' ? undefined : await this.#other.find(at),
        guards: guardsOf(parsed),
        nodes: new Map(this.#nodes),
        isTaken: false,
      };
      this.writes.push(write);
      sent.set(request, write);
      return undefined;
    };
    proxy.after = (request, status) => {
      const write = sent.get(request);
      if (!write || status >= 300) return;
      write.isTaken = true;
      if (write.method === 'DELETE') this.#work.push(this.#collect(write.path));
    };
  }

  leave(proxy: TestProxy): void {
    proxy.before = () => undefined;
    proxy.after = () => undefined;
  }

  async rest(): Promise<void> {
    await Promise.all(this.#work);
  }

  /** No garbage collector runs: what was deleted in the foreground goes by this. */
  async #collect(path: string): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      const found = await this.#other.find(path);
      if (!found) return;
      const finalizers = finalizersOf(found);
      const left = finalizers.filter((one) => one !== 'foregroundDeletion');
      if (left.length < finalizers.length) {
        await this.#other.change(path, { metadata: { finalizers: left, uid: found.metadata.uid } });
        return;
      }
      // The answer may arrive before the object is stored, and an object without it does not wait.
      await sleep(50);
      if (isLeaving(found)) return;
    }
  }

  /** What is not as the other one left it, though the command has not written to it. */
  strayed(end: World): string[] {
    const written = new Set(
      this.writes.flatMap(({ isTaken, path, method, body }) =>
        isTaken ? [method === 'POST' ? `${path}/${nameIn(body)}` : path] : [],
      ),
    );
    const paths = new Set([...this.world.keys(), ...end.keys()]);
    return [...paths].flatMap((path) => {
      if (written.has(path)) return [];
      const [was, is] = [this.world.get(path), end.get(path)];
      const isSame =
        was?.metadata.uid === is?.metadata.uid &&
        was?.metadata.resourceVersion === is?.metadata.resourceVersion;
      return isSame ? [] : [`${path} has an unseen change`];
    });
  }
}

export const nameIn = (body: unknown): unknown =>
  (body as { metadata?: { name?: string } }).metadata?.name;

export interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

function guardsOf(body: unknown): Guards {
  if (Array.isArray(body)) {
    const tests = (body as Operation[]).filter(({ op }) => op === 'test');
    const valueAt = (path: string) => tests.find((test) => test.path === path)?.value;
    return {
      uid: valueAt('/metadata/uid'),
      resourceVersion: valueAt('/metadata/resourceVersion'),
      tested: tests.map(({ path }) => path),
    };
  }
  const { preconditions, metadata } = body as Record<string, { uid?: string } | undefined>;
  return { ...(preconditions ?? metadata), tested: [] };
}

/** Nothing may be written but what the plan named by its uid and its version. */
export function unbound({ guards, method, path }: Write): string | undefined {
  if (guards.uid !== undefined && guards.resourceVersion !== undefined) return undefined;
  return `${method} ${path} is bound to ${JSON.stringify(guards)}`;
}

/** The same operations, without what they test. */
export function changesOf({ body }: Write): readonly Operation[] {
  return Array.isArray(body) ? (body as Operation[]).filter(({ op }) => op !== 'test') : [];
}

export const isSame = (one: unknown, other: unknown) => isDeepStrictEqual(one, other);

interface Outcome {
  readonly start: World;
  readonly end: World;
  readonly writes: readonly Write[];
}

/** Does the exit code, and does stderr, say what was done and what was not? */
function wrongCode(
  { code, stdout, stderr }: Run,
  course: Course,
  { start, end, writes }: Outcome,
): string[] {
  const taken = writes.filter(({ isTaken }) => isTaken);
  const left = [...start].flatMap(([path, was]) => {
    const is = end.get(path);
    if (!is || is.metadata.uid !== was.metadata.uid) return [];
    const due = course.isDue(was, start);
    const isLeft = due !== false && course.isDue(is, end) === due;
    return isLeft && !taken.some((write) => write.path === path) ? [String(is.metadata.name)] : [];
  });
  if (code === 0) return left.map((name) => `${name}: left, with exit code 0`);
  if (code === 1 || code === 2 || code > 4) return [`exit code ${code}: ${stderr}`];
  const told = `${stdout}${stderr}`;
  const faults = left.flatMap((name) =>
    told.includes(name) ? [] : [`${name}: left, and not told`],
  );
  if (
    !/^(error|Warning): |not patched|left alone|left:|not sent|refused|held|with a problem/m.test(
      stderr,
    )
  ) {
    faults.push(`exit code ${code}, without a reason on stderr: ${stderr}`);
  }
  // A fix that was taken for some of its objects ends so, too.
  if (code === 3 && taken.length > 0 && !/ patched$|Done: /m.test(stderr)) {
    faults.push(`exit code 3, and ${taken.map(({ path }) => path)} changed`);
  }
  if (code === 4 && taken.length === 0) faults.push('exit code 4, and nothing was changed');
  return faults;
}
