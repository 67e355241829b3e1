import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import {
  collectContainers,
  collectSandboxes,
  type PodStates,
  type RuntimeContainer,
  type RuntimeSandbox,
} from '../../../src/kubelet/containers/container-gc.ts';
import type { ContainerGcPolicy } from '../../../src/kubelet/node-facts.ts';
import { casesOf } from '../../support/rows.ts';

/** The cases of upstream's kuberuntime_gc_test.go, restated under their descriptions. */
const now = 1e12;
const hour = 3_600_000;

/** `foo/bar@3 R`: pod, name, creation, state; exited unless said; `@now` is now. */
function parse(text: string): RuntimeContainer {
  const [, podUid = '', name = '', created = '', state = 'E'] =
    /^(\S+)\/(\S+)@(\S+)(?: ([ERU]))?$/.exec(text) ?? [];
  const states: Record<string, RuntimeContainer['state']> = {
    E: 'exited',
    R: 'running',
    U: 'unknown',
  };
  return {
    id: text,
    name,
    podUid,
    sandboxId: podUid,
    state: states[state] ?? 'exited',
    createdAt: created === 'now' ? now : Number(created),
  };
}

const pods: PodStates = {
  contentRemoved: (uid) => uid === 'deleted',
  runtimeRemoved: (uid) => uid !== 'running',
};
const standard: ContainerGcPolicy = { minAge: hour, maxPerPodContainer: 2, maxContainers: 6 };

interface Options {
  readonly policy?: Partial<ContainerGcPolicy>;
  readonly sourcesReady?: boolean;
  readonly deleteAll?: boolean;
  /** The sandbox that has a container. */
  readonly occupied?: string;
}

/** `*foo/bar@0, foo/bar@1 | {deleteAll: true}`: what is there (*: it goes), and how the pass is made. */
function caseIn(row: string) {
  const [containers = '', options = '{}'] = row.split(' | ');
  const marked = containers.split(',').map((one) => one.trim());
  const expected = marked.filter((one) => !one.startsWith('*'));
  const given = marked.map((one) => one.replace('*', ''));
  return { given, expected, options: parseYaml(options) as Options };
}

function left(
  given: readonly string[],
  { policy, sourcesReady = true, deleteAll = false }: Options = {},
): string[] {
  const containers = given.map(parse);
  const removed = collectContainers({
    containers,
    pods,
    policy: { ...standard, ...policy },
    sourcesReady,
    deleteAll,
    now,
  });
  const gone = new Set(removed.map(({ container }) => container.id));
  return given.filter((text) => !gone.has(text));
}

const cases = `
all containers should be removed when max container limit is 0
  *foo/bar@0 | {policy: {minAge: 60000, maxPerPodContainer: 1, maxContainers: 0}}
max containers should be complied when no max per pod container limit is set
  foo/bar@4, foo/bar@3, foo/bar@2, foo/bar@1, *foo/bar@0 | {policy: {minAge: 60000, maxPerPodContainer: -1, maxContainers: 4}}
no containers should be removed if both max container and per pod container limits are not set
  foo/bar@2, foo/bar@1, foo/bar@0 | {policy: {minAge: 60000, maxPerPodContainer: -1, maxContainers: -1}}
recently started containers should not be removed
  foo/bar@now, foo/baz@now, foo/qux@now
oldest containers should be removed when per pod container limit exceeded
  foo/bar@2, foo/bar@1, *foo/bar@0
running containers should not be removed
  foo/bar@2, foo/bar@1, foo/bar@0 R
no containers should be removed when limits are not exceeded
  foo/bar@1, foo/bar@0
max container count should apply per (UID, container) pair
  foo/bar@2, foo/bar@1, *foo/bar@0, foo1/baz@2, foo1/baz@1, *foo1/baz@0, foo2/bar@2, foo2/bar@1, *foo2/bar@0
max limit should apply and try to keep from every pod
  foo0/a@1, *foo0/a@0, foo1/a@1, *foo1/a@0, foo2/a@1, *foo2/a@0, foo3/a@1, *foo3/a@0, foo4/a@1, *foo4/a@0
oldest pods should be removed if limit exceeded
  foo/bar@2, *foo/bar@1, foo1/a@2, *foo1/a@1, foo2/a@1, *foo3/a@0, foo4/a@1, *foo5/a@0, foo6/a@2, foo7/a@1
all non-running containers should be removed when evictTerminatingPods is set
  *foo/bar@2, *foo/bar@1, *foo1/bar1@2, *foo1/bar1@1, running/bar2@1, foo3/bar3@0 R | {deleteAll: true}
containers for deleted pods should be removed
  foo/bar@1, foo/bar@0, deleted/bar1@now, *deleted/bar1@1, *deleted/bar1@0
containers for deleted pods may not be removed if allSourcesReady is set false
  deleted/bar1@0 | {deleteAll: true, sourcesReady: false}
`;

describe('TestContainerGC', () => {
  test.each(casesOf(cases))('%s', (_, row = '') => {
    const { given, expected, options } = caseIn(row);
    expect(left(given, options)).toEqual(expected);
  });

  test('TestUnknownStateContainerGC: it is stopped first', () => {
    const stopped: string[] = [];
    const pass = (stops: boolean) =>
      collectContainers({
        containers: [parse('foo/bar@0 U')],
        pods,
        policy: { minAge: hour, maxPerPodContainer: 0, maxContainers: 0 },
        sourcesReady: true,
        deleteAll: false,
        now,
        stop: ({ id }) => {
          stopped.push(id);
          return stops;
        },
      }).map(({ container }) => container.id);
    expect(pass(true)).toEqual(['foo/bar@0 U']);
    expect(pass(false)).toEqual([]);
    expect(stopped).toEqual(['foo/bar@0 U', 'foo/bar@0 U']);
  });
});

/** `p0@2 ready`, `p0@1`. */
function sandbox(text: string): RuntimeSandbox {
  const [, podUid = '', created = '', ready] = /^(\S+)@(\d+)( ready)?$/.exec(text) ?? [];
  return { id: text, podUid, createdAt: Number(created), ready: ready !== undefined };
}

const sandboxCases = `
notready sandboxes without containers for deleted pods should be garbage collected.
  *p2@0
ready sandboxes without containers for deleted pods should not be garbage collected.
  p2@0 ready
sandboxes for existing pods should not be garbage collected.
  p0@0 ready, p1@0
older exited sandboxes without containers for existing pods should be garbage collected if there are more than one exited sandboxes.
  p0@1, *p0@0
older exited sandboxes with containers for existing pods should not be garbage collected even if there are more than one exited sandboxes.
  p0@1, p0@0 | {occupied: p0@0}
non-running sandboxes for existing pods should be garbage collected if evictTerminatingPods is set.
  p0@0 ready, *p1@0 | {deleteAll: true}
sandbox with containers should not be garbage collected.
  p0@0 | {occupied: p0@0}
multiple sandboxes should be handled properly.
  p0@1 ready, *p0@0, p1@1, *p1@0, *p2@0 | {occupied: p1@1}
`;

describe('TestSandboxGC', () => {
  test.each(casesOf(sandboxCases))('%s', (_, row = '') => {
    const { given, expected, options } = caseIn(row);
    const { occupied, deleteAll = false } = options;
    const removed = collectSandboxes({
      sandboxes: given.map(sandbox),
      containers: occupied === undefined ? [] : [{ sandboxId: occupied }],
      pods: { contentRemoved: (uid) => uid === 'p2', runtimeRemoved: () => true },
      deleteAll,
    }).map(({ id }) => id);
    expect(given.filter((text) => !removed.includes(text))).toEqual(expected);
  });
});
