import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { distance } from '../../src/kube/names.ts';
import { apiVersionOf, type ResourceType } from '../../src/kube/resource-type.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { parseTargets } from '../../src/kube/type-argument.ts';
import { customType, gadgets, servedTypes, widgets } from '../support/builders.ts';

function read(line: string, types = servedTypes): string[] {
  const { targets } = parseTargets(line.split(' ').filter(Boolean), types);
  return targets.map(({ type, name }) => `${told(type)} ${name ?? '*'}`);
}

function told(type: ResourceType): string {
  return `${apiVersionOf(type)} ${type.kind}`;
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

describe('objects are named as for kubectl', () => {
  test.each([
    ['', []],
    ['pods', ['v1 Pod *']],
    ['pod web', ['v1 Pod web']],
    ['pod/web', ['v1 Pod web']],
    ['pods web db', ['v1 Pod web', 'v1 Pod db']],
    ['pod/web deploy/web', ['v1 Pod web', 'apps/v1 Deployment web']],
    ['pods,svc', ['v1 Pod *', 'v1 Service *']],
    ['pods,svc web db', ['v1 Pod web', 'v1 Pod db', 'v1 Service web', 'v1 Service db']],
    ['svc,pods,svc', ['v1 Service *', 'v1 Pod *']],
    ['pods web web', ['v1 Pod web', 'v1 Pod web']],
  ])('%j', (line, targets) => {
    expect(read(line)).toEqual(targets);
  });
});

describe('a type is named by its plural, singular, short name or kind, with or without group and version', () => {
  test.each([
    ['deployments', 'apps/v1 Deployment'],
    ['deployment', 'apps/v1 Deployment'],
    ['deploy', 'apps/v1 Deployment'],
    ['Deployment', 'apps/v1 Deployment'],
    ['DEPLOYMENTS', 'apps/v1 Deployment'],
    ['deployments.apps', 'apps/v1 Deployment'],
    ['deploy.apps', 'apps/v1 Deployment'],
    ['Deployment.apps', 'apps/v1 Deployment'],
    ['deployments.v1.apps', 'apps/v1 Deployment'],
    ['Deployment.v1.apps', 'apps/v1 Deployment'],
    ['pods.v1.', 'v1 Pod'],
    ['hpa', 'autoscaling/v2 HorizontalPodAutoscaler'],
    ['horizontalpodautoscalers.v1.autoscaling', 'autoscaling/v1 HorizontalPodAutoscaler'],
    ['hpa.v1.autoscaling', 'autoscaling/v2 HorizontalPodAutoscaler'],
    ['ingress.networking', 'networking.k8s.io/v1 Ingress'],
    ['sc.storage', 'storage.k8s.io/v1 StorageClass'],
    ['widgets.example.com', 'example.com/v1 Widget'],
    ['widget.v1.example.com', 'example.com/v1 Widget'],
    ['crds', 'apiextensions.k8s.io/v1 CustomResourceDefinition'],
  ])('%s: %s', (word, type) => {
    expect(read(word)).toEqual([`${type} *`]);
  });
});

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
    expect(refusal('retail/web', types).message).toBe(
      'the server doesn\'t have a resource type "retail"',
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
  const parse = (word: string) => {
    const { targets, notes } = parseTargets([word], types);
    return [targets.map(({ type }) => told(type)), notes];
  };

  test('means the first one, as for kubectl, and the others are told', () => {
    expect(parse('backups')).toEqual([
      ['velero.io/v1 Backup'],
      [
        '"backups" names 2 kinds; backups.velero.io was taken, as kubectl would. The others: backups.postgres.example.com',
      ],
    ]);
    expect(parse('bk')).toEqual([
      ['velero.io/v1 Backup'],
      [
        '"bk" names 2 kinds; backups.velero.io was taken, as kubectl would. The others: bakeries.example.com',
      ],
    ]);
  });

  test('is settled by the group', () => {
    expect(parse('backups.postgres.example.com')).toEqual([['postgres.example.com/v1 Backup'], []]);
  });

  test('belongs to the kind whose full name it is', () => {
    expect(parse('secret')).toEqual([['v1 Secret'], []]);
  });

  test('belongs to one kind although that has several versions', () => {
    expect(parse('hpa')).toEqual([['autoscaling/v2 HorizontalPodAutoscaler'], []]);
  });
});

describe('what is no type', () => {
  test('gets a suggestion when it is nearly one', () => {
    expect(refusal('deploymnet/web')).toEqual({
      message: 'the server doesn\'t have a resource type "deploymnet"',
      suggestions: ['Did you mean deployments.apps?'],
    });
    expect(refusal('pds').suggestions).toEqual(['Did you mean pods?']);
  });

  test('gets the way to all types when it is nothing like one', () => {
    expect(refusal('spaceships')).toEqual({
      message: 'the server doesn\'t have a resource type "spaceships"',
      suggestions: ['See: kubectl api-resources'],
    });
  });

  test('may be missing from the input only, when that is files', () => {
    const types = new ResourceTypes([widgets, gadgets], { exhaustive: false });
    expect(refusal('pods', types).message).toBe('the input doesn\'t have a resource type "pods"');
  });

  test('has the wrong group or version', () => {
    expect(refusal('deployments.batch').message).toBe(
      'the server doesn\'t have a resource type "deployments.batch"',
    );
    expect(refusal('deployments.v1beta1.apps').message).toBe(
      'the server doesn\'t have a resource type "deployments.v1beta1.apps"',
    );
  });
});

describe('arguments that kubectl refuses', () => {
  test.each([
    ['pod/web db', 'there is no need to specify a resource type as a separate argument'],
    ['pods deploy/web', 'there is no need to specify a resource type as a separate argument'],
    ['pod/', 'arguments in resource/name form must have a single resource and name: pod/'],
    ['/web', 'arguments in resource/name form must have a single resource and name: /web'],
    ['pods,svc/web', 'arguments in resource/name form must have a single resource and name'],
    ['shop/pod/web', 'arguments in resource/name form may not have more than one slash'],
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
