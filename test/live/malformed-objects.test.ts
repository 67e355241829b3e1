import { beforeAll, describe, expect, test } from 'vitest';
import type { AuditReport } from '../../src/questions/audit/document.ts';
import type { DiagnosisReport } from '../../src/questions/why/document.ts';
import { askingOf } from '../support/asking.ts';
import { postToEtcd } from '../support/etcd-storage.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';

/** Objects in etcd that an API server cannot decode, with the feature gate that has it name them, and without. */
const gate = '--feature-gates=AllowUnsafeMalformedObjectDeletion=true';
const naming = await ownControlPlane({ controllers: 'none', apiServerArgs: [gate] });
const silent = await ownControlPlane({
  controllers: 'none',
  apiServerArgs: ['--feature-gates=AllowUnsafeMalformedObjectDeletion=false'],
});

const key = '/registry/configmaps/damaged/broken';
/** As it looks to an API server that has lost the key which encrypted it. */
const sealed = { key: '/registry/secrets/sealed/lost', value: 'k8s:enc:aescbc:v1:old:hunter2' };
const base64 = (text: string) => Buffer.from(text).toString('base64');

beforeAll(async () => {
  const stored = { key, value: 'password=hunter2' };
  await Promise.all([naming, silent].map((one) => damage(one, 'configmaps', 'damaged', stored)));
});

async function damage(
  plane: typeof naming,
  resource: string,
  namespace: string,
  stored: typeof sealed,
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}`;
  await plane.make(`Namespace ${namespace}`);
  await plane.create(`${path}/${resource}`, { metadata: { name: 'whole' } });
  await postToEtcd(plane.etcd, 'put', {
    key: base64(stored.key),
    value: base64(stored.value),
  });
  await plane.remove(path);
  // Until then the cache of the API server serves the others as if they were all.
  await eventually('the list fails', async () => {
    const { status } = await plane.request(`${path}/${resource}?resourceVersion=0`);
    return status !== 200;
  });
}

const told = async (plane: typeof naming, line: string) => {
  const run = await askingOf(plane).run(line);
  expect(run.stdout + run.stderr).not.toContain('hunter2');
  return run;
};

describe('where the API server names it', () => {
  test('why names the object, and what the way out costs', async () => {
    const { stdout } = await told(naming, 'why ns/damaged -o json');
    const { items } = JSON.parse(stdout) as DiagnosisReport;
    const blockers = items.flatMap((one) => one.blockers);
    expect(
      blockers.map(({ cause, object: { kind, namespace, name } }) => [
        cause,
        kind,
        namespace,
        name,
      ]),
    ).toEqual([['undecodable-object', 'ConfigMap', 'damaged', 'broken']]);
    const itself = JSON.parse((await told(naming, 'why cm/broken -n damaged -o json')).stdout);
    expect((itself as DiagnosisReport).items[0]?.blockers.map(({ cause }) => cause)).toEqual([
      'undecodable-object',
    ]);
    const text = (await told(naming, 'why ns/damaged')).stdout.replace(/\s+/g, ' ');
    expect(text).toContain('from etcd (object not decodable)');
    expect(text).toContain(`Restore ${key} in etcd`);
    expect(text).toContain('It looks at no finalizer, owner or precondition');
  });

  test('delete refuses the namespace and the object', async () => {
    const namespace = await told(naming, 'delete ns/damaged --yes');
    expect([namespace.code, namespace.stdout]).toEqual([3, '']);
    expect(namespace.stderr).toContain(`${key} (object not decodable)`);
    const object = await told(naming, 'delete cm/broken -n damaged --yes');
    expect([object.code, object.stdout]).toEqual([3, '']);
    expect(object.stderr).toContain('corrupt object');
  });

  test('audit lists it', async () => {
    const { stdout } = await told(naming, 'audit -A --no-config --rule unlistable-kind -o json');
    const { items } = JSON.parse(stdout) as AuditReport;
    const message = `cannot list configmaps: failed to read one or more configmaps from the storage: ${key} (object not decodable)`;
    expect(items.map((item) => `${item.confidence} ${item.message}`)).toEqual([
      `certain configmaps: ${message}`,
    ]);
  });

  test('an administrator may delete it with the printed option, and the list works again', async () => {
    const path = '/api/v1/namespaces/damaged/configmaps';
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ignoreStoreReadErrorWithClusterBreakingPotential: true,
    };
    const { status } = await naming.remove(`${path}/broken`, body);
    const items = await naming.list<{ metadata: { name: string } }>(`${path}?limit=9`);
    expect([status, items.map(({ metadata }) => metadata.name)]).toEqual([200, ['whole']]);
  });

  test('why names a Secret whose key is lost', async () => {
    await damage(naming, 'secrets', 'sealed', sealed);
    const { stdout } = await told(naming, 'why ns/sealed -o json');
    const { items } = JSON.parse(stdout) as DiagnosisReport;
    const named = items.flatMap(({ blockers }) => blockers.map((one) => [one.cause, one.object]));
    expect(named).toEqual([
      ['undecodable-object', expect.objectContaining({ kind: 'Secret', name: 'lost' })],
    ]);
    const text = (await told(naming, 'why ns/sealed')).stdout.replace(/\s+/g, ' ');
    expect(text).toContain('data from the storage is not transformable');
    expect(text).toContain('the encryption key');
  });
});

describe('where it does not', () => {
  test('the kind is named, and which gate has it name the object', async () => {
    const text = (await told(silent, 'why ns/damaged')).stdout.replace(/\s+/g, ' ');
    expect(text).toContain('configmaps could not be read');
    expect(text).toContain('AllowUnsafeMalformedObjectDeletion (on since v1.37) names it');
  });

  test('delete refuses the namespace, and audit lists the kind', async () => {
    const { code, stderr } = await told(silent, 'delete ns/damaged --yes');
    expect(code).toBe(3);
    expect(stderr).toContain('cannot list configmaps');
    const { stdout } = await told(silent, 'audit -A --no-config --rule unlistable-kind');
    expect(stdout).toContain('configmaps: cannot list configmaps');
  });
});
