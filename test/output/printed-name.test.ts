import { expect, test } from 'vitest';
import { printedName } from '../../src/output/printable.ts';

test.each([
  ['v1', 'Pod', 'web-1', 'pod/web-1'],
  ['apps/v1', 'Deployment', 'web', 'deployment.apps/web'],
  ['example.com/v1', 'Widget', 'cart\u001b[2J', 'widget.example.com/cart^[[2J'],
])('%s %s %j is printed as kubectl prints it: %s', (apiVersion, kind, name, printed) => {
  expect(printedName({ apiVersion, kind, name })).toBe(printed);
});
