import { describe, expect, test } from 'vitest';
import { parseTargets } from '../../src/command-line/type-argument.ts';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { distance } from '../../src/kube/names.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { customType, gadgets, servedTypes, widgets } from '../support/builders.ts';

function read(line: string, types = servedTypes): string[] {
  const { targets } = parseTargets(line.split(' ').filter(Boolean), types);
  return targets.map(({ type, name }) => `${apiVersionOf(type)} ${type.kind} ${name ?? '*'}`);
}

function refusal(line: string, types = servedTypes): { message: string; suggestions: unknown } {
  try {
    read(line, types);
  } catch (error) {
    const { message, suggestions } = error as { message: string; suggestions: unknown };
    return { message, suggestions };
  }
  throw new Error(`${line} was accepted`);
}

// What kubectl asks the API server for by a line is held by test/live/type-argument.test.ts.
describe('a category stands for its types', () => {
  const shops = customType('shops.example.com/v1 Shop', { categories: ['retail'] });
  const carts = customType('carts.example.com/v1 Cart', { categories: ['retail', 'pods'] });
  const types = new ResourceTypes([...builtInTypes, shops, carts], { exhaustive: true });

  test('all is one of them', () => {
    expect(read('all', types)).toEqual([
      'v1 Pod *',
      'v1 ReplicationController *',
      'v1 Service *',
      'apps/v1 DaemonSet *',
      'apps/v1 Deployment *',
      'apps/v1 ReplicaSet *',
      'apps/v1 StatefulSet *',
      'autoscaling/v2 HorizontalPodAutoscaler *',
      'batch/v1 CronJob *',
      'batch/v1 Job *',
    ]);
  });

  test('alone, among types, and with names', () => {
    expect([read('retail', types), read('cm,retail', types), read('retail web', types)]).toEqual([
      ['example.com/v1 Shop *', 'example.com/v1 Cart *'],
      ['v1 ConfigMap *', 'example.com/v1 Shop *', 'example.com/v1 Cart *'],
      ['example.com/v1 Shop web', 'example.com/v1 Cart web'],
    ]);
  });

  test('comes before a type of the same name', () => {
    expect(read('pods', types)).toEqual(['example.com/v1 Cart *']);
  });

  test('is none in TYPE/NAME', () => {
    expect(refusal('retail/web', types).message).toMatchInlineSnapshot(
      `"the server doesn't have a resource type "retail""`,
    );
  });
});

describe('a name that several kinds share', () => {
  const backups = customType('backups.velero.io/v1 Backup', { shortNames: ['bk'] });
  const others = customType('backups.postgres.example.com/v1 Backup', { shortNames: ['po'] });
  const bakeries = customType('bakeries.example.com/v1 Bakery', { shortNames: ['bk', 'secret'] });
  const types = new ResourceTypes([...builtInTypes, backups, others, bakeries], {
    exhaustive: true,
  });
  const taken = 'names 2 kinds; backups.velero.io was taken, as kubectl would. The others:';

  test.each([
    ['backups', 'velero.io/v1 Backup', `"backups" ${taken} backups.postgres.example.com`],
    ['bk', 'velero.io/v1 Backup', `"bk" ${taken} bakeries.example.com`],
    ['backups.postgres.example.com', 'postgres.example.com/v1 Backup'],
    // Its full name, and one kind in several versions.
    ['secret', 'v1 Secret'],
    ['hpa', 'autoscaling/v2 HorizontalPodAutoscaler'],
  ])('means the first one, as for kubectl, and lists the others: %s', (word, type, ...told) => {
    const { targets, notes } = parseTargets([word], types);
    expect([read(word, types), targets.length, notes]).toEqual([[`${type} *`], 1, told]);
  });
});

describe('what is no type gets a suggestion when it is nearly one, else the way to all types', () => {
  const files = new ResourceTypes([widgets, gadgets], { exhaustive: false });
  const see = 'See: kubectl api-resources';
  const inFile = 'List the content of the input: kubectl gc snapshot info FILE';
  test.each([
    ['deploymnet/web', 'deploymnet', 'Did you mean deployments.apps?', servedTypes],
    ['pds', 'pds', 'Did you mean pods?', servedTypes],
    ['spaceships', 'spaceships', see, servedTypes],
    ['pods', 'pods', inFile, files],
    ['deployments.batch', 'deployments.batch', 'Did you mean deployments.apps?', servedTypes],
    [
      'deployments.v1beta1.apps',
      'deployments.v1beta1.apps',
      'Did you mean deployments.apps?',
      servedTypes,
    ],
  ])('%s', (line, word, suggestion, types) => {
    const input = types === files ? 'the input' : 'the server';
    expect(refusal(line, types)).toEqual({
      message: expect.stringMatching(`^${input} .* resource type "${word}"$`),
      suggestions: [suggestion],
    });
  });
});

describe('arguments that kubectl refuses', () => {
  test.each([
    ['pod/web db', 'no need to specify'],
    ['pods deploy/web', 'no need to specify'],
    ['pod/', 'single resource and name: pod/'],
    ['/web', 'single resource and name: /web'],
    ['pods,svc/web', 'single resource and name'],
    ['shop/pod/web', 'more than one slash'],
  ])('%s', (line, message) => {
    expect(refusal(line).message).toContain(message);
  });
});

test('the distance of two words is the number of changed letters', () => {
  const words = [
    ['', ''],
    ['', 'pod'],
    ['pod', ''],
    ['pod', 'pods'],
    ['deploy', 'delpoy'],
    ['a', 'b'],
  ];
  expect(words.map(([a = '', b = '']) => distance(a, b))).toEqual([0, 3, 3, 1, 2, 1]);
});
