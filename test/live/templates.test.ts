import { beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { renderTemplate } from '../../src/output/templates/render-template.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** Templates on an object: what kubectl prints is right. */
const plane = sharedControlPlane();
const namespace = 'templates';
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web',
    labels: { app: 'web', 'app.kubernetes.io/name': 'shop' },
    annotations: { 'example.com/note': 'two words' },
  },
  spec: {
    hostNetwork: true,
    containers: [
      { name: 'a', image: 'img-a', ports: [{ containerPort: 80 }, { containerPort: 81 }] },
      { name: 'b', image: 'img-b' },
      { name: 'c', image: 'img-c', ports: [{ containerPort: 82 }] },
    ],
  },
};
let stored: KubeObject;

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  stored = await plane.create(`/api/v1/namespaces/${namespace}/pods`, pod);
});

async function kubectl(output: string): Promise<string> {
  const { stdout } = await plane.kubectl(['get', 'pod/web', '-n', namespace, '-o', output]);
  return stdout;
}

const options = { colour: false, width: undefined, now: 0 };

describe('jsonpath prints what kubectl prints', () => {
  test.each([
    '{.metadata.name}',
    'name: {.metadata.name}, {.kind}',
    '{.metadata.name}{"\\n"}{.metadata.namespace}{"\\t"}end',
    '{.metadata.labels.app\\.kubernetes\\.io/name}',
    "{.metadata.labels['app\\.kubernetes\\.io/name']}",
    '{.spec.containers[*].name}',
    '{.spec.containers[0].name}',
    '{.spec.containers[-1:].name}',
    '{.spec.containers[-1].name}',
    '{.spec.containers[0:2].name}',
    '{.spec.containers[?(@.name=="b")].image}',
    '{.spec.containers[?(@.ports)].name}',
    '{range .spec.containers[*]}{.name}={.image}{"\\n"}{end}',
    '{range .spec.containers[*]}{.name}:{range .ports[*]}{.containerPort},{end};{end}',
    '{range .spec.containers[*]}{.name} of {$.metadata.name};{end}',
    '{..containerPort}',
    '{.spec.terminationGracePeriodSeconds} {.spec.hostNetwork}',
    '{.metadata.nothing}',
    '{@.kind}',
    '{$.kind}',
    '{.spec.containers[*].ports[*].containerPort}',
    "{.metadata['name','namespace']}",
    "{.metadata['name', 'namespace']}",
    "{.metadata.labels['app','app\\.kubernetes\\.io/name']}",
    "{['kind','metadata.name']}",
    '{.spec.containers[0,2].name}',
    '{.spec.containers[-1,0].name}',
    '{.spec.containers[0:2,2].name}',
    "{.spec.containers[*]['name','image']}",
    "{.spec.containers[0,2]['name','image']}",
    '{range .spec.containers[0,2]}{.name};{end}',
    '{.spec.containers[?(@.name!="b")].image}',
    "{.spec.containers[?(@.name=='b')]['name','image']}",
    '{.spec.containers[?(.name=="b")].name}',
    '{.spec.containers[?(@.nothing!="b")].name}',
    '{.spec.containers[?(@.ports[0].containerPort)].name}',
    '{.spec.containers[*].ports[?(@.containerPort>80)].containerPort}',
    '{.spec.containers[*].ports[?(@.containerPort<=81)].containerPort}',
    '{.spec.containers[0:3:2].name}',
    '{.spec.containers[-2:].name}',
    '{.spec.containers[:2].name}',
    '{.spec.containers[1:1].name}',
    '{.spec.containers[*].nothing}',
    '{.kind} {3} {-1.5} {true}',
  ])('%s', async (template) => {
    expect(renderTemplate(stored, { kind: 'jsonpath', text: template }, options)).toBe(
      await kubectl(`jsonpath=${template}`),
    );
  });

  test('{.metadata.labels.*}, in whatever order it finds the keys of a map', async () => {
    const text = '{.metadata.labels.*}';
    const words = (line: string) => line.split(' ').sort();
    const ours = renderTemplate(stored, { kind: 'jsonpath', text }, options);
    expect(words(ours)).toEqual(words(await kubectl(`jsonpath=${text}`)));
    expect(words(ours)).toEqual(['shop', 'web']);
  });
});

test.each([
  'NAME:.metadata.name,GRACE:.spec.terminationGracePeriodSeconds',
  'NAME:metadata.name,IMAGES:{.spec.containers[*].image}',
  'NAME:.metadata.name,NONE:.metadata.nothing',
])('custom-columns=%s prints the same as kubectl', async (columns) => {
  expect(renderTemplate(stored, { kind: 'custom-columns', text: columns }, options)).toBe(
    (await kubectl(`custom-columns=${columns}`)).replace(/ +$/gm, ''),
  );
});
