import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { validDocument } from '../contract/valid-document.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const shop = '--from examples/clusters/shop.json.gz';
const nothingSent = 'Nothing was sent: this is a plan made from files.\n';

const folder = temporaryFolder();

interface PlanDocument {
  readonly requests: readonly { readonly name: string; readonly propagationPolicy: string }[];
  readonly objects: readonly {
    readonly kind: string;
    readonly name: string;
    readonly fate: string;
  }[];
}

async function planOf(line: string): Promise<PlanDocument> {
  const { code, stdout } = await gcHere(`delete ${line} -o json ${shop}`);
  expect([line, code]).toEqual([line, 0]);
  return JSON.parse(stdout);
}

describe('delete --from', () => {
  test('prints the plan, and says that nothing was sent', async () => {
    const { code, stdout, stderr } = await gcHere(`delete deploy/web -n shop ${shop}`);
    expect([code, stderr]).toEqual([0, nothingSent]);
    expect(stdout).toMatch(
      /^Warning: The data of Secret web-session-keys goes: .*\n\nWAVE .*\n\n9 objects go: 4 ReplicaSets, 3 Pods, 1 Deployment, 1 Secret; 1 stays: 1 ConfigMap\.\n$/s,
    );
    expect(await gcHere(`delete deploy/web -n shop --preview ${shop}`)).toMatchObject({ stdout });
    expect(await gcHere(`cascade-delete deploy/web -n shop ${shop}`)).toMatchObject({ stdout });
  });

  test('the policy decides what goes along', async () => {
    const fates = async (cascade: string) => {
      const { objects } = await planOf(`deploy/web -n shop --cascade=${cascade}`);
      return objects.filter(({ kind }) => kind === 'ReplicaSet').map(({ fate }) => fate);
    };
    expect(await fates('foreground')).toEqual(['deleted', 'deleted', 'deleted', 'deleted']);
    expect(await fates('orphan')).toEqual(['orphaned', 'orphaned', 'orphaned', 'orphaned']);
  });

  test('names are looked up, each once; what is missing does not stop the others', async () => {
    const line = `delete deploy,sts web cart -n shop -o json ${shop}`;
    const { code, stdout, stderr } = await gcHere(line);
    const { requests } = JSON.parse(stdout) as PlanDocument;
    expect([code, requests.map(({ name }) => name)]).toEqual([3, ['web', 'cart']]);
    expect(stderr).toMatch(/^Error from server \(NotFound\): statefulsets\.apps "web" not found/m);
    const ignoring = await gcHere(`${line} --ignore-not-found`);
    expect([ignoring.code, ignoring.stdout]).toEqual([0, stdout]);
  });

  test('a dry run prints kubectl’s lines', async () => {
    expect(await gcHere(`delete deploy/web -n shop --dry-run=client ${shop}`)).toMatchObject({
      code: 0,
      stdout: 'deployment.apps "web" deleted from shop namespace (dry run)\n',
    });
  });

  test('a plan takes the place of an earlier one, but of no other file', async () => {
    const file = join(folder, 'plan.json');
    const save = (kind: string) => gcHere(`delete ${kind}/web -n shop --plan ${file} ${shop}`);
    expect([(await save('service')).code, (await save('deploy')).code]).toEqual([0, 0]);
    expect(JSON.parse(readFileSync(file, 'utf8')).requests).toMatchObject([{ kind: 'Deployment' }]);
    writeFileSync(file, 'precious');
    expect(await save('deploy')).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${file} already exists and holds no plan: it is left as it is\n  Nothing was deleted. Name another file with --plan FILE.\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    const { code, stderr } = await gcHere(`delete --plan ${join(folder, 'none')} --yes`);
    expect([code, stderr.split('\n')[0]]).toEqual([
      3,
      `error: cannot read the plan ${join(folder, 'none')}: it does not exist`,
    ]);
  });

  test('a plan of files can be written, and is for no cluster', async () => {
    const { code, stdout } = await gcHere(`delete deploy/web -n shop --plan - ${shop}`);
    expect([code, JSON.parse(stdout).cluster]).toEqual([0, { server: '', uid: '' }]);
  });

  test('the Lease of a Node goes with it, and is protected on its own', async () => {
    const cluster = join(folder, 'node.yaml');
    writeFileSync(cluster, nodeAndLease);
    const refused = async (line: string) => {
      const { stdout } = await gcHere(`delete ${line} -o json --from ${cluster}`);
      const { objects, refusals = [] } = JSON.parse(stdout) as Plan;
      return [objects.map(({ kind, name }) => `${kind} ${name}`), refusals.map(({ code }) => code)];
    };
    expect(await refused('node/a')).toEqual([['Node a', 'Lease a'], []]);
    expect(await refused('lease/a -n kube-node-lease')).toEqual([['Lease a'], ['protected']]);
    expect(await refused('node/b')).toEqual([['Node b', 'Lease other'], ['protected']]);
  });

  test('a preview says why the deletion would be refused, in every format', async () => {
    const line = `delete deploy/web -n shop --max-deletes 3 --preview ${shop}`;
    const refusal = {
      code: 'too-many-deletes',
      message: '9 objects would be deleted, and --max-deletes allows 3',
      suggestions: ['See them with --preview, or allow them with --max-deletes=9.'],
    };
    const table = await gcHere(line);
    expect([table.code, table.stderr]).toEqual([0, nothingSent]);
    expect(table.stdout.split('\n').slice(-5)).toEqual([
      `Would be refused: ${refusal.message}`,
      `  ${refusal.suggestions[0]}`,
      '',
      '9 objects go: 4 ReplicaSets, 3 Pods, 1 Deployment, 1 Secret; 1 stays: 1 ConfigMap.',
      '',
    ]);
    const { stdout } = await gcHere(`${line} -o json`);
    validDocument('plan', stdout);
    expect(JSON.parse(stdout).refusals).toEqual([refusal]);
    for (const other of ['-o name', '--compare']) {
      const { code, stderr } = await gcHere(`${line} ${other}`);
      const warning = `Warning: would be refused: ${refusal.message}\n`;
      expect([other, code, stderr]).toEqual([other, 0, warning + nothingSent]);
    }
    const allowed = await gcHere(`${line} -o json --max-deletes 9`);
    expect('refusals' in JSON.parse(allowed.stdout)).toBe(false);
  });

  test('limits are told, here too', async () => {
    const { code, stderr } = await gcHere(`delete deploy/web -n shop --max-deletes 3 ${shop}`);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^error: 9 objects would be deleted, and --max-deletes allows 3; nothing was sent/m,
    );
  });

  test.each([
    ['nothing that matches', 'secrets -l app=none -n shop', 0, 'No resources found\n', ''],
    [
      'nothing for a document',
      'secrets -l app=none -n shop -o json',
      0,
      '',
      'No resources found\n',
    ],
    ['an unknown type', 'nonsense/x', 2, '', /doesn't have a resource type "nonsense"/],
    ['an unknown output', 'deploy/web -o jsonpath=x', 2, '', /^error: unexpected -o output mode/],
    ['a time that is none', 'deploy/web --now=noon', 2, '', /--now "noon" is not a time/],
  ])('%s', async (_, line, code, stdout, error) => {
    const run = await gcHere(`delete ${line} ${shop}`);
    expect([run.code, run.stdout]).toEqual([code, stdout]);
    expect(run.stderr).toMatch(error);
  });
});

const leaseOf = (node: string, name: string) => `---
apiVersion: v1
kind: Node
metadata: {name: ${node}, uid: node-${node}}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata:
  name: ${name}
  namespace: kube-node-lease
  uid: lease-${name}
  ownerReferences: [{apiVersion: v1, kind: Node, name: ${node}, uid: node-${node}}]
`;
const nodeAndLease = leaseOf('a', 'a') + leaseOf('b', 'other');
