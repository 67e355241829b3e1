import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { validatorOf } from '../contract/schemas.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const file = (name: string) => join(folder, name);
const write = (name: string, content: unknown) =>
  writeFileSync(file(name), typeof content === 'string' ? content : JSON.stringify(content));

const uid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const metadata = (name: string, n: number, more: object = {}) => ({
  name,
  namespace: 'shop',
  uid: uid(n),
  ...more,
});
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'root', uid: uid(1) };
const cluster = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('root', 1) },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('child', 2, { ownerReferences: [owner] }),
    },
    { apiVersion: 'v1', kind: 'Secret', metadata: metadata('held', 3, { finalizers: ['a/b'] }) },
  ],
};
const worker = { apiVersion: 'v1', kind: 'Node', name: 'worker-1', uid: uid(4) };
const nodes = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    { ...worker, metadata: { name: worker.name, uid: worker.uid }, spec: {} },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: metadata('bound', 5),
      spec: { nodeName: 'worker-1' },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: metadata('mirror', 6, { ownerReferences: [{ ...worker, controller: true }] }),
      spec: { nodeName: 'worker-1' },
    },
  ],
};
const head = { apiVersion: 'kubectl-gc/v1', kind: 'Scenario' };
const request = { verb: 'delete', ...owner, uid: undefined, namespace: 'shop' };

beforeAll(() => {
  write('cluster.json', cluster);
  write('nodes.json', nodes);
  write('scenario.yaml', { ...head, requests: [request] });
  write('idle.yaml', 'apiVersion: kubectl-gc/v1\nkind: Scenario\n');
  write('sideways.yaml', { ...head, requests: [{ ...request, propagationPolicy: 'Sideways' }] });
  write('broken.yaml', 'kind: [');
  write('nobody.yaml', 'controllers: []\n');
  write('unknown.yaml', 'controllers: [gc]\n');
  write(
    'inherited.yaml',
    'apiVersion: kubectl-gc/v1\nkind: Scenario\nrequests: [{verb: toString, kind: Pod, name: x}]\n',
  );
});

const simulate = (line: string) =>
  gcHere(`simulate --from ${file('cluster.json')} -n shop --now 2026-02-01T00:00:00Z ${line}`);

describe('simulate', () => {
  test('tells what a deletion leads to', async () => {
    expect(await simulate('--delete cm/root')).toEqual({
      code: 0,
      stderr: 'Then nothing more happens: 2 objects gone, 1 left.\n',
      stdout: `AT    NAMESPACE   OBJECT           RESULT          REASON
1ms   shop        ConfigMap/root   would be gone   user: requested; nothing holds it, so it is gone at once
4ms   shop        Secret/child     would be gone   garbage-collector: ConfigMap root is gone
`,
    });
  });

  test('writes a document that keeps to its schema, and that is input again', async () => {
    const { code, stdout } = await simulate(`--scenario ${file('scenario.yaml')} -o json`);
    const document = JSON.parse(stdout);
    const valid = validatorOf('simulate');
    expect({ code, valid: valid(document), errors: valid.errors }).toEqual({
      code: 0,
      valid: true,
      errors: null,
    });
    expect(document.objects).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'held', namespace: 'shop', uid: uid(3), finalizers: ['a/b'] },
      },
    ]);
    write('left.json', { apiVersion: 'v1', kind: 'List', items: document.objects });
    const again = await gcHere(`simulate --from ${file('left.json')} -n shop --delete secret/held`);
    expect(again.stdout).toContain('nothing that is simulated removes its finalizer a/b');
  });

  test('counts what goes because of the requests, and not what goes anyway', async () => {
    const lost = { ...owner, name: 'lost', uid: uid(9), controller: true };
    const metadata = { name: 'late', namespace: 'shop', uid: uid(8), ownerReferences: [lost] };
    const late = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    write('late.json', { ...cluster, items: [...cluster.items, late] });
    const line = `simulate --from ${file('late.json')} -n shop --delete cm/root --start after-requests --complete`;
    expect((await gcHere(line)).stderr).toBe(
      [
        'Then nothing more happens: 2 objects gone, 1 left.',
        '1 step would happen without the requests, too: --all-events shows it.\n',
      ].join('\n'),
    );
    expect((await gcHere(`${line} --all-events`)).stderr).toBe(
      'Then nothing more happens: 3 objects gone, 1 left.\n',
    );
  });

  test('a page says that more may happen where the time was over', async () => {
    const last = async (line: string) => {
      const { stdout } = await simulate(`--delete cm/root -o html ${line}`);
      return /"title":"After","text":"([^"]*)"/.exec(stdout)?.[1];
    };
    expect(await last('')).toBe('Nothing more happens.');
    expect(await last('--duration 2ms')).toBe(
      'More may happen later: the time to look at was over.',
    );
  });

  test('takes finalizers off', async () => {
    const both = await simulate('--delete secret/held --remove-finalizer secret/held=a/b');
    expect(both.stderr).toBe('Then nothing more happens: 1 object gone, 2 left.\n');
  });

  test('deletes a Node, and says who cleans up behind it', async () => {
    const from = `--from ${file('nodes.json')}`;
    expect(await simulate(`${from} --delete-node worker-1`)).toEqual({
      code: 0,
      stdout: `AT         NAMESPACE   OBJECT          RESULT            REASON
1ms                    Node/worker-1   would be gone     user: requested; nothing holds it, so it is gone at once
4ms        shop        Pod/mirror      would terminate   garbage-collector: Node worker-1 is gone
1m0.001s   shop        Pod/bound       would change      pod-garbage-collector: its status is set first: it is bound to Node worker-1, which does not exist
1m0.002s   shop        Pod/bound       would be gone     pod-garbage-collector: it is bound to Node worker-1, which does not exist
1m0.003s   shop        Pod/mirror      would change      pod-garbage-collector: its status is set first: it is bound to Node worker-1, which does not exist
1m0.004s   shop        Pod/mirror      would be gone     pod-garbage-collector: it is bound to Node worker-1, which does not exist
`,
      stderr: [
        'Warning: more may be deleted: the input has no leases.coordination.k8s.io, csinodes.storage.k8s.io. If it holds the whole cluster, say --complete.',
        'Then nothing more happens: at least 3 objects gone, 3 left.\n',
      ].join('\n'),
    });
    const alone = await simulate(
      `${from} --delete-node worker-1 --cascade=orphan --settings ${file('nobody.yaml')}`,
    );
    expect(alone.stderr).toBe(
      'Then nothing more happens, and deletions have not ended: 0 objects gone, 6 left.\n',
    );
  });

  test('taints a Node, and evicts its pods', async () => {
    const taints = [
      { key: 'c', effect: 'NoExecute' },
      { key: 'a', value: 'b', effect: 'NoSchedule' },
    ];
    const patch = { verb: 'patch', apiVersion: 'v1', kind: 'Node', patch: { spec: { taints } } };
    write('taints.yaml', { ...head, requests: [{ ...patch, name: 'worker-1' }] });
    const { stderr, stdout } = await simulate(
      `--from ${file('nodes.json')} --scenario ${file('taints.yaml')} -o json`,
    );
    const { steps, objects } = JSON.parse(stdout);
    const told = steps.map(
      ({ actor, verb, object, result }: Record<string, string> & { object: { name: string } }) =>
        `${actor} ${verb} ${object.name} ${result}`,
    );
    expect({ stderr, told }).toEqual({
      stderr: 'Then nothing more happens: 2 objects gone, 4 left.\n',
      told: [
        'user patch worker-1 changed',
        'taint-eviction-controller patch bound changed',
        'taint-eviction-controller patch mirror changed',
        'taint-eviction-controller delete bound terminating',
        'taint-eviction-controller delete mirror terminating',
        'kubelet delete bound removed',
        'kubelet delete mirror removed',
      ],
    });
    expect(objects.find(({ kind }: { kind: string }) => kind === 'Node').spec).toEqual({ taints });
    write('nowhere.yaml', { ...head, requests: [{ ...patch, name: 'worker-9' }] });
    const nowhere = await simulate(`--scenario ${file('nowhere.yaml')} -o json`);
    expect({ ...nowhere, stdout: JSON.parse(nowhere.stdout).replies }).toEqual({
      code: 3,
      stderr: 'Nothing happens.\n',
      stdout: [{ code: 404, reason: 'NotFound', message: 'nodes "worker-9" not found' }],
    });
  });

  test('answers for what is not there', async () => {
    const { code, stdout } = await simulate('--delete secret/nowhere');
    expect({ code, stdout }).toEqual({
      code: 3,
      stdout:
        'REFUSED     REPLY          REASON\nrequest 1   404 NotFound   secrets "nowhere" not found\n',
    });
  });

  test('says when nothing happens', async () => {
    const idle = await simulate(`--scenario ${file('idle.yaml')}`);
    expect(idle).toEqual({ code: 0, stdout: '', stderr: 'Nothing happens.\n' });
  });

  test.each([
    ['apiVersion: kubectl-gc/v1\nkind: Settings\nsettings: {controllers: []}\n'],
    ['controllers: []\nnodeMonitorGracePeriod: 2m\n'],
  ])('takes %j as settings', async (text) => {
    write('given.yaml', text);
    const { stderr } = await simulate(`--delete cm/root --settings ${file('given.yaml')}`);
    expect(stderr).toBe('Then nothing more happens: 1 object gone, 2 left.\n');
  });

  test('takes what is named without a flag as what is to be deleted', async () => {
    expect(await simulate('cm/root --cascade=orphan')).toEqual(
      await simulate('--delete cm/root --cascade=orphan'),
    );
  });

  test('takes a KubeletConfiguration: controllers have their defaults', async () => {
    const kubelet = await simulate('--delete cm/root --settings examples/settings/kubelet.yaml');
    expect(kubelet).toEqual(await simulate('--delete cm/root'));
  });

  test.each([['{}'], ['controllerStartInterval: -4s\n']])(
    'leaves everything as it is with %j',
    async (text) => {
      write('given.yaml', text);
      const given = await simulate(`--delete cm/root --settings ${file('given.yaml')}`);
      expect(given).toEqual(await simulate('--delete cm/root'));
    },
  );

  test('has no controllers where settings say so', async () => {
    const alone = await simulate(`--delete cm/root --settings ${file('nobody.yaml')}`);
    expect(alone.stderr).toBe('Then nothing more happens: 1 object gone, 2 left.\n');
  });

  test.each([
    ['', 'You must specify what to simulate'],
    ['cm', '"cm" names no object'],
    ['--delete cm', '"cm" names no object'],
    ['--delete gadget/x', `the input doesn't have a resource type "gadget"`],
    ['--delete cm/root --cascade=true', 'invalid cascade value (true)'],
    ['--remove-finalizer secret/held', 'does not say which finalizer'],
    ['--delete-node node/worker-1', '--delete-node "node/worker-1" is not the name of a node'],
    [
      '--remove-finalizer secret/held=a/b --cascade=orphan',
      '--cascade says how to delete, and nothing is to be deleted',
    ],
    ['--delete cm/root --start=later', '--start is "later", not one of running, after-requests'],
    ['--delete cm/root --duration=10', '--duration is "10", not a duration'],
    ['--scenario sideways.yaml', 'requests[0].propagationPolicy is "Sideways", not one of'],
    ['--scenario broken.yaml', 'broken.yaml, line 1: invalid YAML: a missing quote'],
    [
      '--scenario inherited.yaml',
      'requests[0].verb is "toString", not one of delete, deletecollection',
    ],
    [
      '--delete cm/root --settings unknown.yaml',
      'controllers would keep kube-controller-manager from starting: "gc" is not',
    ],
    ['--delete cm/root -o name', 'output format "name"'],
  ])('refuses %j', async (line, message) => {
    const { code, stdout, stderr } = await simulate(
      line.replaceAll(/(\S+\.yaml)/g, (name) => file(name)),
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('cannot read a scenario that is not there', async () => {
    const { code, stdout, stderr } = await simulate(`--scenario ${file('missing.yaml')}`);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('cannot read the scenario');
  });
});
