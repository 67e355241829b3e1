import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { validatorOf } from '../contract/schemas.ts';
import { validDocument } from '../contract/valid-document.ts';
import { gcHere } from '../support/run-here.ts';

const stuck = '--from examples/clusters/stuck.yaml --now 2026-01-31T12:00:00Z';

describe('why', () => {
  test('names the real blocker in every machine format, as published', async () => {
    const { code, stdout, stderr } = await gcHere(
      `why namespace/orders ${stuck} --complete -o json`,
    );
    expect([code, stderr]).toEqual([0, '']);
    const document = validDocument('why', stdout);
    expect(document.items[0].blockers).toEqual([
      {
        object: {
          apiVersion: 'v1',
          kind: 'Node',
          namespace: '',
          name: 'worker-2',
          uid: '7c0e3a52-0001-4000-8000-000000000004',
        },
        cause: 'node-not-ready',
        because:
          'node worker-2 is not ready (NodeStatusUnknown: Kubelet stopped posting node status.), so its kubelet does not confirm that the containers stopped',
        next: expect.stringContaining('Bring node worker-2 back.'),
      },
    ]);
    expect(document.items[0].fix).toBe(undefined);
  });

  test('-o wide prints when each piece of evidence was read', async () => {
    const { stdout } = await gcHere(`why pod/db-0 -n orders ${stuck} --complete -o wide`);
    expect(stdout.split('\n').filter((line) => line.includes('•'))).toEqual([
      expect.stringContaining(
        '• pods/db-0 in orders: deletionTimestamp 2026-01-31T11:00:30Z, no finalizers',
      ),
      expect.stringContaining(
        '• nodes/worker-2: Ready is Unknown (NodeStatusUnknown) since 2026-01-31T10:58:00Z',
      ),
      expect.stringContaining(
        '• leases.coordination.k8s.io/worker-2 in kube-node-lease: the kubelet renewed it at 2026-01-31T10:57:20.000000Z',
      ),
    ]);
  });

  test('a file that does not say that it is whole is not taken for the cluster', async () => {
    const { code, stdout } = await gcHere(`why configmap/lost -n orders-archive ${stuck}`);
    expect(code).toBe(0);
    expect(stdout).toContain('may be stuck; not everything could be read');
    expect(stdout).toContain('deployments.apps: could not be read: the input does not say');
  });

  test('--fix offline prints the guarded command and sends nothing', async () => {
    const { stderr } = await gcHere(
      `why configmap/lost -n orders-archive ${stuck} --complete --fix`,
    );
    expect(stderr.split('\n').slice(0, 1)).toEqual([
      'Step (nothing was sent): remove the finalizer finalizer.keda.sh from ConfigMap lost',
    ]);
    expect(stderr).toContain(
      `kubectl patch configmap/lost -n orders-archive --type=json -p '[{"op":"test","path":"/metadata/uid","value":"7c0e3a52-0001-4000-8000-000000000006"},{"op":"test","path":"/metadata/finalizers/0","value":"finalizer.keda.sh"},{"op":"remove","path":"/metadata/finalizers/0"}]'`,
    );
  });

  test('--fix without a safe step says so; a finalizer that is named has one', async () => {
    const refused = await gcHere(`why configmap/lost -n orders-archive ${stuck} --fix`);
    expect([refused.code, refused.stderr.split('\n').slice(-4)]).toEqual([
      3,
      [
        'error: there is no step that would be safe to offer for configmap/lost',
        '  The chain says why, and what you can do.',
        '  Only when you know that it is gone for good: kubectl gc why configmap/lost -n orders-archive --fix --remove-finalizer finalizer.keda.sh --from examples/clusters/stuck.yaml --now 2026-01-31T12:00:00Z',
        '',
      ],
    ]);
    const line = `why configmap/lost -n orders-archive ${stuck} --fix --remove-finalizer`;
    const named = await gcHere(`${line} finalizer.keda.sh`);
    expect(named.code).toBe(0);
    expect(named.stdout).toContain(
      'Step that was named (--fix --remove-finalizer): remove the finalizer finalizer.keda.sh from ConfigMap lost',
    );
    expect(named.stderr).toContain(
      'kubectl patch configmap/lost -n orders-archive --type=json -p ',
    );
    const none = await gcHere(`${line} finalizer.keda`);
    expect([none.code, none.stderr.includes('kubectl patch')]).toEqual([3, false]);
    const json = await gcHere(`${line} finalizer.keda.sh -o json`);
    const validate = validatorOf('why');
    validate(JSON.parse(json.stdout));
    expect(validate.errors).toBe(null);
    expect(JSON.parse(json.stdout).items[0].fix.insisted).toBe(true);
  });

  test('a finalizer that is named and not there is not replaced by another that could be removed', async () => {
    const line = `why configmap/lost -n orders-archive ${stuck} --complete --fix`;
    expect((await gcHere(line)).stderr).toContain('kubectl patch configmap/lost');
    const { code, stdout, stderr } = await gcHere(`${line} --remove-finalizer example.com/other`);
    expect([code, stdout.includes('--fix)')]).toEqual([3, false]);
    expect(stderr).not.toContain('kubectl patch');
    expect(stderr).toContain(
      'error: configmap/lost: not being deleted, or without the finalizer example.com/other',
    );
  });

  test.each([
    ['why', 2, 'You must provide one or more objects'],
    ['why --gc pod/x', 2, 'name objects or --gc, not both'],
    [`why --gc ${stuck}`, 2, '--gc asks a cluster'],
    ['why --gc --fix', 2, 'cannot also be provided when using --gc'],
    [`why pod/db-0 ${stuck} --canary`, 2, 'gc'],
    [`why pod/db-0 ${stuck} --yes`, 2, 'fix'],
    [`why pod/db-0 ${stuck} --remove-finalizer x`, 2, 'fix'],
    [`why pod/db-0 ${stuck} -o dot`, 2, 'unable to match a printer'],
    [`why pod/nobody -n orders ${stuck}`, 3, 'pods "nobody" not found'],
  ])('%s is refused with %i', async (line, code, words) => {
    const run = await gcHere(line);
    expect([run.code, run.stdout]).toEqual([code, '']);
    expect(run.stderr).toContain(words);
  });
});

describe('a namespace whose content has a finalizer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gc-held-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'held.json');
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const metadata = { namespace: 'left', uid: 'held', finalizers: ['acme.test/wait'] };
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [
        {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: 'left', uid: 'left', deletionTimestamp },
          spec: { finalizers: ['kubernetes'] },
        },
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { ...metadata, name: 'holds', deletionTimestamp },
        },
      ],
    }),
  );
  const line = `why ns/left --from ${file} --now 2026-01-02T00:00:00Z`;
  const command = `kubectl gc why secret/holds -n left --fix --remove-finalizer acme.test/wait --from ${file} --now 2026-01-02T00:00:00Z`;

  test('shows the command for the object that has it', async () => {
    const { stdout } = await gcHere(`${line} -o json`);
    expect(JSON.parse(stdout).items[0].blockers.map(({ next }: { next: string }) => next)).toEqual([
      `Find out which program removes acme.test/wait, or ask the cluster. Only when you know that it is gone for good: ${command}`,
      'Ask the cluster, or say with --complete that the input holds all of it.',
    ]);
  });

  test.each(['', ' --remove-finalizer acme.test/wait'])('--fix%s refuses with it', async (more) => {
    const { code, stderr } = await gcHere(`${line} --fix${more}`);
    expect([code, stderr.split('\n').at(-2)]).toEqual([
      3,
      `  Only when you know that it is gone for good: ${command}`,
    ]);
  });

  test('and the command removes it', async () => {
    const { code, stderr } = await gcHere(command.replace('kubectl gc ', ''));
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('kubectl patch secret/holds -n left '),
    ]);
  });
});
