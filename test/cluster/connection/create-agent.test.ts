import { expect, test } from 'vitest';
import { canProxy, createAgent } from '../../../src/cluster/connection/create-agent.ts';

test('knows the versions of Node that can use a proxy', () => {
  const able = ['20.20.2', '22.19.0', '22.21.0', '23.11.0', '24.4.1', '24.5.0', '26.10.0'];
  expect(able.filter(canProxy)).toEqual(['22.21.0', '24.5.0', '26.10.0']);
});

test('refuses a proxy that it would have to pass by', () => {
  const proxy = new URL('gopher://me:secret@proxy.test');
  expect(() => createAgent('https://a.test', proxy)).toThrow(
    expect.objectContaining({
      code: 'proxy-unsupported',
      message: expect.stringMatching(/^Node.js \S+ cannot use a proxy over gopher:\/\//),
    }),
  );
});
