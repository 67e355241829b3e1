import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { fromFiles } from '../../src/files/from-files.ts';

const input = [
  'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nimageMaximumGCAge: 1h\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: shop, uid: u }\n',
  'kind: KubeletConfiguration\n',
].join('---\n');

async function read(heard?: unknown[]) {
  const { records, coverage } = await fromFiles(['-'], {
    now: () => new Date(0),
    stdin: Readable.from([Buffer.from(input)]),
    ...(heard && { onKubeletConfiguration: (...one) => heard.push(one) }),
  });
  return {
    names: records.map(({ name }) => name),
    problems: coverage.problems.map(({ message }) => message),
  };
}

const noApiVersion =
  '<stdin>:9: not a Kubernetes object: the KubeletConfiguration has no apiVersion';

test('a KubeletConfiguration is handed over where somebody hears of it', async () => {
  const heard: unknown[] = [];
  expect(await read(heard)).toEqual({ names: ['a'], problems: [noApiVersion] });
  const configuration = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    imageMaximumGCAge: '1h',
  };
  expect(heard).toEqual([[configuration, { path: '<stdin>', line: 1 }]]);
});

test('and is a problem elsewhere', async () => {
  expect(await read()).toEqual({
    names: ['a'],
    problems: ['<stdin>:1: the KubeletConfiguration has no name', noApiVersion],
  });
});
