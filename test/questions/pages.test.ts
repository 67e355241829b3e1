import { describe, expect, test } from 'vitest';
import { nowhere } from '../../src/command-line/shell-command.ts';
import { comparePolicies } from '../../src/deletion/plan/compare-policies.ts';
import { planDeletion } from '../../src/deletion/plan/plan-deletion.ts';
import type { PageData } from '../../src/output/pages/page-data.ts';
import { pageHtml } from '../../src/output/pages/page-html.ts';
import { pictureSvg } from '../../src/output/pictures/picture-svg.ts';
import { auditAnswer } from '../../src/questions/audit/text.ts';
import { comparisonAnswer } from '../../src/questions/delete/comparison-text.ts';
import { planAnswer } from '../../src/questions/delete/text.ts';
import { forecastReport } from '../../src/questions/forecast/document.ts';
import { forecastAnswer } from '../../src/questions/forecast/text.ts';
import { orphansReport } from '../../src/questions/orphans/document.ts';
import { orphansAnswer } from '../../src/questions/orphans/text.ts';
import { ownersReport, treeReport } from '../../src/questions/owners/document.ts';
import { graphAnswer } from '../../src/questions/owners/text.ts';
import { diagnosisReport } from '../../src/questions/why/document.ts';
import { stuckDeletionsReport } from '../../src/questions/why/stuck-document.ts';
import { stuckAnswer } from '../../src/questions/why/stuck-text.ts';
import { diagnosisAnswer } from '../../src/questions/why/text.ts';
import { defaultControllerSettings } from '../../src/settings/controller-settings.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { type Link, link } from '../../src/why/chain.ts';
import { removeFinalizer } from '../../src/why/fix-request.ts';
import { context } from '../deletion/plan/planned.ts';
import { story, web } from '../deletion/plan/story.ts';
import { reportOf } from '../support/audit-report.ts';
import {
  blocking,
  builderOf,
  configMap,
  deployment,
  graphOf,
  node,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  snapshotOf,
} from '../support/builders.ts';

const options = { colour: false, width: undefined, now: context.now, records: story };
const intent = { targets: [web], policy: 'Background' } as const;

/** What is drawn of a page, in words: its objects, and who is above whom. */
const drawn = ({ objects, references }: PageData) => {
  const names = new Map(objects.map(({ id, kind, name }) => [id, `${kind}/${name}`]));
  return [
    ...objects.map(({ id, state }) => `${names.get(id)}: ${state.mark}, ${state.words}`),
    ...references.map(
      (one) =>
        `${names.get(one.owner)} > ${names.get(one.dependent)}: ${one.class}${one.blocks ? ', blocks' : ''}${one.controller ? ', controller' : ''}`,
    ),
  ];
};

/** Its rows, each behind the id of its object. */
const tableOf = ({ table }: PageData) => {
  const rows = table.rows.map(({ object, cells }) => [object, ...cells]);
  return [['', ...table.columns], ...rows].map((cells) => cells.join(' | '));
};

test('an audit has what findings are about, the owners that are named, and a row for each finding', () => {
  const page = auditAnswer.pageOf(reportOf(), options);
  expect([
    page.title,
    ...page.summary,
    ...page.gaps,
    ...drawn(page),
    ...tableOf(page),
  ]).toMatchInlineSnapshot(`
    [
      "Audit: failed",
      "There are findings that count. 7 objects of 68 kinds were read.",
      "Errors: 2, warnings: 1, infos: 0; in the baseline: 1, waived: 1.",
      "Rules: missing-owner (2), namespaced-owner-of-cluster-object (1).",
      "Rules that found nothing: 1 of 3.",
      "secrets: "no" & <never>",
      "ConfigMap shop/unread: Secret objects in namespace shop were not read",
      "ConfigMap/</script><b>|\`x\`: goes, missing-owner",
      "ConfigMap/web-flags: goes, missing-owner",
      "ClusterRole/a:b/c: changes, namespaced-owner-of-cluster-object",
      "ConfigMap/known: stays, missing-owner, baseline",
      "ConfigMap/waived: stays, missing-owner, waived",
      "Deployment/a
    ::error::b: gone, is not there as it is named",
      "Deployment/web: gone, is not there as it is named",
      "ConfigMap/settings: unseen, cannot be looked up",
      "Deployment/a
    ::error::b > ConfigMap/</script><b>|\`x\`: dangling",
      "Deployment/web > ConfigMap/known: dangling",
      "Deployment/web > ConfigMap/waived: dangling",
      "Deployment/web > ConfigMap/web-flags: dangling",
      "ConfigMap/settings > ClusterRole/a:b/c: unresolvable",
      " | Severity | Rule | Result | Status | Fix | Place | Reason",
      "uid-configmap-shop-</script><b>|\`x\` | error | missing-owner | will be deleted | new | kubectl gc invalid-ownerrefs configmaps -n shop --field-selector 'metadata.name=</script><b>|\`x\`' --fix |  | no Deployment a
    ::error::b in namespace shop",
      "uid-configmap-shop-web-flags | error | missing-owner | will be deleted | new | kubectl gc invalid-ownerrefs configmaps -n shop --field-selector metadata.name=web-flags --fix | ./shop/<b>.yaml:7 | no Deployment web in namespace shop",
      "uid-clusterrole-a:b/c | warning | namespaced-owner-of-cluster-object | never deleted | new | kubectl gc invalid-ownerrefs clusterroles.rbac.authorization.k8s.io -A --field-selector metadata.name=a:b/c --fix |  | ClusterRole is cluster-scoped, so no namespace is known for ConfigMap settings",
      "uid-configmap-shop-known | error | missing-owner | will be deleted | baseline | kubectl gc invalid-ownerrefs configmaps -n shop --field-selector metadata.name=known --fix |  | no Deployment web in namespace shop",
      "uid-configmap-shop-waived | error | missing-owner | will be deleted | waived | kubectl gc invalid-ownerrefs configmaps -n shop --field-selector metadata.name=waived --fix |  | no Deployment web in namespace shop",
    ]
  `);
  const [first] = page.objects;
  expect(first?.facts.map((fact) => fact.join(': '))).toMatchInlineSnapshot(`
    [
      "Severity: error",
      "Rule: missing-owner",
      "Result: will be deleted",
      "Status: new",
      "Fix: kubectl gc invalid-ownerrefs configmaps -n shop --field-selector 'metadata.name=</script><b>|\`x\`' --fix",
      "Reason: no Deployment a
    ::error::b in namespace shop",
      "What to do: allow its deletion: the garbage collector deletes it; or keep it: remove the reference; it then remains until someone deletes it",
      "Rule of Kubernetes: GC-22.13",
      "API version: v1",
      "UID: uid-configmap-shop-</script><b>|\`x\`",
    ]
  `);
});

test('a tree has its references with their classes, and what becomes of each object', () => {
  const rs = replicaSet('web-7d9', { ownerReferences: [ownedBy(web, blocking)] });
  const record = pod('web-1', {
    ownerReferences: [
      ownedBy(rs, { controller: true }),
      ownedByGone('v1 Node gone'),
      ownedByGone('v1 Secret vault'),
    ],
  });
  const owners = ownersReport(graphOf([web, rs, record], { unread: ['secrets'] }), [record]);
  expect(drawn(graphAnswer.pageOf(owners, options))).toMatchInlineSnapshot(`
    [
      "Pod/web-1: unknown, unknown whether it stays",
      "ReplicaSet/web-7d9: stays, stays",
      "Node/gone: unseen, was not seen",
      "Secret/vault: unseen, was not seen",
      "Deployment/web: plain, has no owner",
      "ReplicaSet/web-7d9 > Pod/web-1: solid, controller",
      "Node/gone > Pod/web-1: dangling",
      "Secret/vault > Pod/web-1: unknown",
      "Deployment/web > ReplicaSet/web-7d9: solid, blocks",
    ]
  `);
  const tree = graphAnswer.pageOf(treeReport(graphOf([web, rs]), [web]), options);
  expect([tree.title, ...tree.summary, ...tableOf(tree)]).toMatchInlineSnapshot(`
    [
      "Tree of Deployment/web",
      "Dependents: 1 ReplicaSet.",
      " | Ready | Status | Age | Remarks | Reference | Blocks | GC | Reason",
      "uid-deployment-shop-web |  |  | 2d |  |  |  | unowned | it has no owner",
      "uid-replicaset-shop-web-7d9 |  |  | 2d |  | solid | yes | keep | Deployment web exists in namespace shop (GC-27)",
    ]
  `);
});

describe('a plan', () => {
  const page = planAnswer.pageOf(planDeletion(snapshotOf(story), intent, context), options);

  test('has who owns whom from what was read, and the fate of each object', () => {
    expect(drawn(page)).toMatchInlineSnapshot(`
      [
        "Deployment/web: goes, will be deleted",
        "ConfigMap/shared: stays, stays",
        "ReplicaSet/web-1: goes, will be deleted",
        "Pod/web-1-a: goes, will be deleted",
        "Pod/web-1-b: stuck, stuck, then deleted",
        "Deployment/web > ReplicaSet/web-1: solid, blocks",
        "ReplicaSet/web-1 > Pod/web-1-a: solid, blocks",
        "ReplicaSet/web-1 > Pod/web-1-b: solid",
        "Deployment/web > ConfigMap/shared: solid",
      ]
    `);
  });

  test('plays step by step, and objects with finalizers at the end', () => {
    const names = new Map(page.objects.map(({ id, name }) => [id, name]));
    const frames = page.views.flatMap((view) =>
      view.frames.map(({ title, text, changes }) => {
        const states = Object.entries(changes).map(([id, { mark }]) => `${names.get(id)}: ${mark}`);
        return [title, text, ...states].join(' | ');
      }),
    );
    expect(frames).toMatchInlineSnapshot(`
      [
        "Result | What becomes of each object in the end.",
        "Before | Nothing was sent yet. | web: plain | shared: plain | web-1: plain | web-1-a: plain | web-1-b: plain",
        "Step 0 | will be deleted: 1 Deployment | web: goes",
        "Step 1 | stays: 1 ConfigMap; will be deleted: 1 ReplicaSet | web: gone | shared: stays | web-1: goes",
        "Step 2 | will be deleted: 1 Pod; stuck, then deleted: 1 Pod | web-1: gone | web-1-a: goes | web-1-b: stuck",
        "Once removed: shop.example.com/drain on Pod/web-1-b | Then 1 Pod will be deleted. | web-1-a: gone | web-1-b: goes",
        "After | All finalizers are removed. | web-1-b: gone",
      ]
    `);
  });
});

test('a plan plays the Pods of a silent kubelet at the end, too', () => {
  const lost = node('lost', { facts: { conditions: [{ type: 'Ready', status: 'Unknown' }] } });
  const facts = { nodeName: 'lost', tolerations: [{ operator: 'Exists' }] };
  const bare = pod('bare', { facts });
  const one = { ...intent, targets: [bare] };
  const [view] = planAnswer.pageOf(
    planDeletion(snapshotOf([lost, bare]), one, context),
    options,
  ).views;
  expect(view?.frames.slice(-2).map(({ title, text }) => [title, text])).toEqual([
    [
      'Once over: the kubelet of Node lost, which has to confirm that Pod/bare has stopped',
      'Then 1 Pod will be deleted.',
    ],
    ['After', 'Nothing is blocked any more.'],
  ]);
});

test('policies are views of the same objects', () => {
  const page = comparisonAnswer.pageOf(
    comparePolicies(snapshotOf(story), { targets: [web] }, context),
    options,
  );
  expect(page.title).toBe('Three ways to delete Deployment/web');
  expect(
    page.views.map(({ title, frames }) => [
      title,
      Object.values(frames[0]?.changes ?? {})
        .map(({ mark }) => mark)
        .join(),
    ]),
  ).toEqual([
    ['background', 'goes,stays,goes,goes,goes'],
    ['foreground', 'goes,stays,goes,goes,goes'],
    ['orphan', 'goes,stays,left,plain,plain'],
  ]);
});

test('orphans stand below the owners that they name', () => {
  const kept = configMap('kept');
  const half = configMap('half', {
    ownerReferences: [ownedBy(kept), ownedByGone('v1 Secret gone')],
  });
  const lost = configMap('lost', { ownerReferences: [ownedByGone('v1 Secret gone')] });
  expect(
    drawn(orphansAnswer.pageOf(orphansReport(graphOf([kept, half, lost])), options)),
  ).toMatchInlineSnapshot(`
    [
      "ConfigMap/half: changes, loses a reference",
      "ConfigMap/lost: goes, will be deleted",
      "ConfigMap/kept: plain, exists",
      "Secret/gone: gone, does not exist",
      "ConfigMap/kept > ConfigMap/half: solid",
      "Secret/gone > ConfigMap/half: dangling",
      "Secret/gone > ConfigMap/lost: dangling",
    ]
  `);
});

test('a forecast has a lane for each controller, and a row for what none deletes', () => {
  const lost = configMap('lost', { ownerReferences: [ownedByGone('v1 Secret gone')] });
  const lease = builderOf('coordination.k8s.io/v1', 'Lease')('worker-7', {
    ...{ namespace: 'kube-node-lease', facts: {} },
  });
  const settings = defaultControllerSettings;
  const asked = { now: context.now, within: 60_000, settings };
  const page = forecastAnswer.pageOf(forecastReport(snapshotOf([lost, lease]), asked), options);
  expect(page.objects.map(({ name, state }) => [name, state])).toEqual([
    ['lost', { mark: 'goes', words: 'will be deleted' }],
    ['worker-7', { mark: 'frozen', words: 'no controller deletes it' }],
  ]);
  expect(tableOf(page)).toMatchInlineSnapshot(`
    [
      " | When | Result | Controller | After | Not before | Not after | Gone | Rule | Reason",
      "uid-configmap-shop-lost | now | will be deleted | garbage-collector |  | 2026-01-03T00:00:00Z |  |  | GC-22.13 | no Secret gone in namespace shop",
      "uid-lease-kube-node-lease-worker-7 |  | no controller deletes it | node-lease |  |  |  |  |  | Node worker-7 does not exist, and the Lease has no owner; it was last renewed never",
    ]
  `);
  expect(page.timeline?.lanes).toMatchInlineSnapshot(`
    [
      {
        "items": [
          {
            "mark": "goes",
            "notBefore": "2026-01-03T00:00:00Z",
            "object": "uid-configmap-shop-lost",
            "words": "will be deleted",
          },
        ],
        "title": "garbage-collector",
      },
    ]
  `);
});

test('what blocks an object by itself is drawn in its own box', () => {
  const stuck = deployment('web', { deleting: 'foreground' });
  const below = link(stuck, 'finalizer-controller-down', 'blocked', 'its operator is down', {
    next: 'start it',
    rule: 'GC-1',
  });
  const chain = link(stuck, 'terminating', 'waiting', 'it is being deleted', { links: [below] });
  const page = diagnosisAnswer.pageOf(diagnosisReport([{ chain }], []), options);
  expect([...drawn(page), ...page.summary, ...tableOf(page)]).toMatchInlineSnapshot(`
    [
      "Deployment/web: stuck, its operator is down",
      "Deployment/web is stuck.",
      " | State | Reason | What to do | Rule",
      "0 | is blocked | its operator is down | start it | GC-1",
    ]
  `);
});

test('the box of an object that is waited for has what blocks it, and since when it is being deleted', () => {
  const [home, inside] = [deployment('web'), pod('web-1')];
  const finalizer = link(inside, 'finalizer-controller-down', 'blocked', '');
  const since = '2026-01-02T23:59:00Z';
  const content = link(inside, 'terminating', 'waiting', '', { since, links: [finalizer] });
  const chain = link(home, 'foreground-blocked', 'waiting', '', { links: [content] });
  const page = diagnosisAnswer.pageOf(diagnosisReport([{ chain }], []), options);
  expect(drawn(page)).toEqual([
    'Deployment/web: changes, ',
    'Pod/web-1: stuck, ',
    'Deployment/web > Pod/web-1: leads',
  ]);
  expect(page.table.rows.length).toBe(2);
  expect(page.objects[1]?.facts).toContainEqual(['Being deleted since', since]);
});

test('a dependent of an object that blocks itself has its own box', () => {
  const stuck = deployment('web', { deleting: 'foreground' });
  const [first, second] = [pod('web-1'), pod('web-2')];
  const blocked = (record: typeof first) =>
    link(record, 'finalizer-controller-down', 'blocked', '');
  const own = link(stuck, 'foreground-blocked', 'waiting', '', {
    links: [blocked(first), blocked(second)],
  });
  const other = blocked(pod('web-3'));
  const chain = link(stuck, 'terminating', 'waiting', '', { links: [own, other] });
  const page = diagnosisAnswer.pageOf(diagnosisReport([{ chain }], []), options);
  expect(drawn(page)).toEqual([
    'Deployment/web: changes, ',
    'Pod/web-1: stuck, ',
    'Pod/web-2: stuck, ',
    'Pod/web-3: stuck, ',
    'Deployment/web > Pod/web-1: leads',
    'Deployment/web > Pod/web-2: leads',
    'Deployment/web > Pod/web-3: leads',
  ]);
  expect(page.figure).toEqual({ value: '3', words: 'blockers' });
});

test('what blocks nothing is no blocker: an object that does not exist, and a finalizer that is being removed', () => {
  const figure = (chain: Link) =>
    diagnosisAnswer.pageOf(diagnosisReport([{ chain }], []), options).figure?.value;
  const waits = link(web, 'finalizer-controller-running', 'waiting', '');
  expect(figure(link(web, 'absent', 'fine', ''))).toBe('0');
  expect(figure(link(web, 'terminating', 'waiting', '', { links: [waits] }))).toBe('0');
});

test('the figure of a page says that there may be more where not everything was read', () => {
  const problem = { reason: 'forbidden', resource: 'secrets', message: 'forbidden' } as const;
  const lost = configMap('lost', { ownerReferences: [ownedByGone('v1 ConfigMap gone')] });
  // Of a kind that was read with its facts.
  const target = deployment('target', { facts: {} });
  const chain = link(target, 'terminating', 'waiting', '', {
    since: '2026-01-02T00:00:00Z',
    links: [link(target, 'finalizer-controller-down', 'blocked', '')],
  });
  const asked = { now: context.now, within: 60_000, settings: defaultControllerSettings };
  const figures = (problems: readonly (typeof problem)[]) => {
    const holes = { unread: problems.map(({ resource }) => resource), coverage: { problems } };
    const snapshot = snapshotOf([lost, target], holes);
    const read = { kinds: 1, objects: 2, complete: problems.length === 0, problems };
    const stuck = stuckDeletionsReport([{ chain }], read, snapshot.observedAt, nowhere);
    const comparison = comparePolicies(snapshot, { targets: [target] }, context);
    return [
      diagnosisAnswer.pageOf(diagnosisReport([{ chain }], problems), options),
      stuckAnswer.pageOf(stuck, options),
      auditAnswer.pageOf(reportOf([lost], holes), options),
      orphansAnswer.pageOf(orphansReport(buildGraph(snapshot)), options),
      forecastAnswer.pageOf(forecastReport(snapshot, asked), options),
      planAnswer.pageOf(planDeletion(snapshot, { ...intent, targets: [target] }, context), options),
      comparisonAnswer.pageOf(comparison, options),
    ].map(({ figure }) => figure?.value);
  };
  expect(figures([])).toEqual(['1', '1', '1', '1', '1', '1', '1 · 1 · 1']);
  expect(figures([problem])).toEqual(['1+', '1+', '1+', '1+', '1+', '1+', '1+ · 1+ · 1']);
});

describe('a page', () => {
  const odd = configMap('a</script><b>&"\u202e');
  const page = graphAnswer.pageOf(treeReport(graphOf([odd]), [odd]), options);

  test('allows itself nothing but its own program and style, and a served one its server', () => {
    const policyOf = (data: PageData) =>
      /Content-Security-Policy" content="([^"]*)"/.exec(pageHtml(data))?.[1];
    const rest = `base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'`;
    expect(policyOf(page)).toBe(`default-src 'none'; script-src 'none'; style-src 'none'; ${rest}`);
    expect(policyOf({ ...page, live: { events: './events' } })).toBe(
      `default-src 'none'; script-src 'none'; style-src 'none'; ${rest}; connect-src 'self'`,
    );
  });

  test('contains its data as text that ends no element, and each row of its table as HTML', () => {
    const html = pageHtml(page);
    expect(html.split('</script>').length).toBe(2);
    const [, json = ''] = /id="data">(.*)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(page)));
    expect(html).toContain('<th scope="row">ConfigMap/a&lt;/script&gt;&lt;b&gt;&amp;&quot; </th>');
  });

  test('is a drawing whose names are text', () => {
    const svg = pictureSvg(page);
    expect(svg).toContain('<text x="32" y="17">a&lt;/script&gt;&lt;b&gt;&amp;&quot; </text>');
    expect([svg.includes('<script'), svg.includes('<b>')]).toEqual([false, false]);
  });
});

test('a step that was insisted on is not called safe', () => {
  const chain = link(deployment('web'), 'terminating', 'waiting', 'it is being deleted');
  const fix = {
    ...removeFinalizer(deployment('web'), 'ex.com/a', 'a disk'),
    insisted: true,
  } as const;
  const page = diagnosisAnswer.pageOf(diagnosisReport([{ chain, insisted: { fix } }], []), options);
  expect(page.summary.at(-1)).toBe(
    'Step that was named (--fix --remove-finalizer): remove the finalizer ex.com/a from Deployment web. Risk: a disk.',
  );
});
