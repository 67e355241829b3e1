import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { graphAnswer, graphTree } from '../../../src/output/answers/graph.ts';
import { ownersReport, treeReport } from '../../../src/output/documents/owners-and-tree.ts';
import { render } from '../../../src/output/render.ts';
import type { RenderOptions } from '../../../src/output/style.ts';
import {
  blocking,
  configMap,
  deployment,
  gadget,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
} from '../../support/builders.ts';

const now = Date.parse('2026-01-03T00:00:00Z');
const plain: RenderOptions = { colour: false, width: undefined, now };
const coloured: RenderOptions = { ...plain, colour: true };

const web = deployment('web');
const rs = replicaSet('web-7d9', { ownerReferences: [ownedBy(web, blocking)] });
const leaving = pod('web-1', {
  uid: 'one',
  ownerReferences: [ownedBy(rs)],
  deleting: 'background',
  finalizers: ['shop.example.com/drain'],
});
const lost = pod('lost', { uid: 'two', namespace: 'bank', ownerReferences: [ownedBy(rs)] });
const tree = treeReport(graphOf([web, rs, leaving, lost]), [web]);
const owners = (() => {
  const record = pod('web-1', {
    uid: 'one',
    ownerReferences: [ownedBy(rs), ownedByGone('v1 Node gone')],
  });
  return ownersReport(graphOf([web, rs, record]), [record]);
})();

function lines(...text: string[]): string {
  return text.map((line) => `${line}\n`).join('');
}

describe('a tree as a table', () => {
  test('has the tree in its second column', () => {
    expect(graphAnswer.table(tree, plain, false)).toBe(
      lines(
        'NAMESPACE   NAME                    READY   STATUS        AGE   REMARKS',
        'shop        Deployment/web                                2d',
        'shop        └─ ReplicaSet/web-7d9                         2d',
        'bank           ├─ Pod/lost                                2d    reference dangling; will be deleted',
        'shop           └─ Pod/web-1                 Terminating   2d    finalizers: shop.example.com/drain',
      ),
    );
  });

  test('has uids and reasons when it is wide', () => {
    expect(graphAnswer.table(owners, plain, true)).toMatchInlineSnapshot(`
      "NAMESPACE   NAME                    READY   STATUS     AGE   REMARKS              REFERENCE   BLOCKS   GC        UID                           REASON
      shop        Pod/web-1                                  2d    loses a reference                         patch     one                           ReplicaSet web-7d9 exists in namespace shop, so only the other references are removed
      shop        ├─ ReplicaSet/web-7d9                      2d                         solid       no       keep      uid-replicaset-shop-web-7d9   ReplicaSet web-7d9 exists in namespace shop (GC-27)
      shop        │  └─ Deployment/web                       2d                         solid       yes      unowned   uid-deployment-shop-web       Deployment web exists in namespace shop (GC-27)
                  └─ Node/gone                    not seen         reference dangling   dangling    no                 uid-gone-gone                 there is no Node gone (GC-27)
      "
    `);
  });

  test('is the same in colours', () => {
    const table = graphAnswer.table(tree, coloured, false);
    expect(stripVTControlCharacters(table)).toBe(graphAnswer.table(tree, plain, false));
    expect(table).toContain('\u001b[33mreference dangling; will be deleted\u001b[39m');
    expect(table).toContain('\u001b[33mTerminating\u001b[39m');
    expect(table).toContain('\u001b[33mfinalizers: shop.example.com/drain\u001b[39m');
  });
});

describe('a bare tree', () => {
  test('tells what is not as it should be', () => {
    expect(graphTree(tree, plain)).toBe(
      lines(
        'Deployment/web -n shop',
        '└─ ReplicaSet/web-7d9  blocks',
        '   ├─ Pod/lost -n bank  dangling',
        '   └─ Pod/web-1  terminating · finalizers: shop.example.com/drain',
      ),
    );
    expect(graphTree(owners, plain)).toBe(
      lines(
        'Pod/web-1 -n shop',
        '├─ ReplicaSet/web-7d9',
        '│  └─ Deployment/web  blocks',
        '└─ Node/gone  dangling · not seen',
      ),
    );
  });

  test('tells a namespace where it changes', () => {
    const rack = gadget('rack');
    const near = configMap('near', { ownerReferences: [ownedBy(rack)] });
    const below = pod('below', { ownerReferences: [ownedBy(near)] });
    const far = configMap('far', { namespace: 'bank', ownerReferences: [ownedBy(rack)] });
    expect(graphTree(treeReport(graphOf([rack, near, below, far]), [rack]), plain)).toBe(
      lines(
        'Gadget/rack',
        '├─ ConfigMap/far -n bank',
        '└─ ConfigMap/near -n shop',
        '   └─ Pod/below',
      ),
    );
  });

  test('is the same in colours', () => {
    expect(stripVTControlCharacters(graphTree(tree, coloured))).toBe(graphTree(tree, plain));
    expect(graphTree(owners, coloured)).toContain('Node/\u001b[9mgone\u001b[29m');
  });

  test('cannot be steered by a name', () => {
    const evil = configMap('evil\u001b[2J\n');
    expect(graphTree(treeReport(graphOf([evil]), [evil]), plain)).toBe(
      lines('ConfigMap/evil^[[2J^J -n shop'),
    );
  });
});

test('names are those of objects that were seen, each once', async () => {
  expect([await render(tree, 'name', plain), await render(owners, 'name', plain)]).toEqual([
    lines('deployment.apps/web', 'replicaset.apps/web-7d9', 'pod/web-1', 'pod/lost'),
    lines('pod/web-1', 'replicaset.apps/web-7d9', 'deployment.apps/web'),
  ]);
});
