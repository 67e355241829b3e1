import type { Action } from '../../controllers/garbage-collector/judge.ts';
import { counted, countsByKind, firstOf } from '../../kube/counts-by-kind.ts';
import { objectKey, tableName } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import { hangOf, stacked } from '../../output/fit-text.ts';
import { ownerLine } from '../../output/pages/owners-among.ts';
import type { PageData, PageReference, PageState } from '../../output/pages/page-data.ts';
import { figureOf, PageMaker, stillView, titleOfSome } from '../../output/pages/page-maker.ts';
import { printable, printedName } from '../../output/printable.ts';
import { painted, paints, type RenderOptions, signOf, styleOf } from '../../output/style.ts';
import { type Column, renderItems } from '../../output/tables/table.ts';
import type { Answer } from '../answer.ts';
import { appliedInWords } from '../delete/applied.ts';
import { overdue } from '../orphans/document.ts';
import { type ContentsRow, contentNames } from './contents.ts';
import { appliedOf, type GraphReport, type ReportNode } from './document.ts';
import { deepestIn, type ToldObject, type TreeLine, treeLines } from './tree-lines.ts';

export const graphAnswer = {
  tableOf: graphTable,
  pageOf: graphPage,
  namesOf: ({ nodes }: GraphReport) => nodes.filter(({ observed }) => observed).map(printedName),
  texts: {
    tree: async () => graphTree,
    dot: async () => (await import('./graph-drawing.ts')).graphDot,
    mermaid: async () => (await import('./graph-drawing.ts')).graphMermaid,
  },
} satisfies Answer<GraphReport>;

/** The graph as a table whose second column is the tree. */
export function graphTable(report: GraphReport, options: RenderOptions): string {
  // A namespace is named where the tree enters it, if there is only one, or little room.
  const namespaces = new Set(report.nodes.map(({ namespace }) => namespace || undefined));
  namespaces.delete(undefined);
  const hasColumn = options.wide || (options.width === undefined && namespaces.size > 1);
  const place: Column<TreeLine> = ['NAMESPACE', ({ node }) => node.namespace];
  const columns: Column<TreeLine>[] = [
    ...(hasColumn ? [place] : []),
    [
      'NAME',
      (line) => ({
        text: `${line.prefix}${tableName(line.node)}${hasColumn ? '' : elsewhere(line)}`,
        hang: hangOf(line.prefix),
      }),
    ],
    ...nodeColumns,
  ];
  return stacked([
    renderItems(treeLines(report, deepestIn(options)), columns, options),
    contentsTable(report, options),
    appliersOf(report),
  ]);
}

/** What is said of an object, and of the reference that leads to it. */
const nodeColumns: readonly Column<ToldObject>[] = [
  ['READY', ({ node }) => node.ready ?? ''],
  [
    'STATUS',
    ({ node }) => ({
      text: node.observed ? (node.status ?? '') : 'not seen',
      paint: node.deletionTimestamp === undefined && node.observed ? undefined : 'yellow',
    }),
  ],
  ['AGE', ({ node }, { now }) => (node.observed ? age(node.creationTimestamp, now) : '')],
  ['REMARKS', (line) => ({ text: lineRemarks(line).join('; '), paint: 'yellow' })],
  ['REFERENCE', ({ edge }) => edge?.class ?? '', 'wide'],
  ['BLOCKS', ({ edge }) => (edge ? (edge.blockOwnerDeletion ? 'yes' : 'no') : ''), 'wide'],
  ['GC', ({ node: { gc }, repeated }) => (gc && !repeated ? gc.action : ''), 'wide'],
  ['UID', ({ node }) => node.uid, 'wide'],
  [
    'REASON',
    ({ node, edge }) => (edge ? `${edge.because} (${edge.rule})` : (node.gc?.because ?? '')),
    'wide',
  ],
];

/** Rows of contents that are shown; the others are counted. */
const mostContents = 30;

/** What is in a namespace, on a node or of a definition: contents, and no dependents. */
function contentsTable(report: GraphReport, options: RenderOptions): string {
  const contents = (report.kind === 'Tree' && report.contents) || [];
  const containers = new Map(report.nodes.map((node) => [node.id, tableName(node)]));
  const isNamespaceItself = ({ container, namespace }: ContentsRow) =>
    containers.get(container) === `Namespace/${namespace}`;
  const several = new Set(contents.map(({ container }) => container)).size > 1;
  const namespaces = new Set(contents.map(({ namespace }) => namespace));
  const columns: Column<ContentsRow>[] = [
    ['CONTAINS', ({ kind, count }) => counted(count, kind)],
    ['BELOW', ({ below }) => (below > 0 ? counted(below, 'object') : '')],
    ['NAMES', contentNames],
  ];
  if (namespaces.size > 1) columns.unshift(['NAMESPACE', ({ namespace }) => namespace]);
  if (several && !contents.every(isNamespaceItself))
    columns.unshift(['IN', ({ container }) => containers.get(container) ?? '']);
  const unlabelled = { ...options, labels: undefined, marks: undefined };
  const left = contents.slice(mostContents).reduce((sum, { count }) => sum + count, 0);
  return stacked([
    renderItems(contents.slice(0, mostContents), columns, unlabelled),
    left > 0 ? `and ${counted(left, 'object')} more\n` : '',
  ]);
}

/** `Argo CD Application shop applied Deployment/web.`: who is behind the uppermost owners; labels are copied to what these make. */
function appliersOf({ kind, nodes }: GraphReport): string {
  if (kind !== 'Owners') return '';
  const roots = nodes.filter(({ gc }) => gc?.action === 'unowned');
  const lines = [...Map.groupBy(roots, ({ appliedBy }) => appliedBy)].flatMap(([who, applied]) =>
    who === undefined ? [] : `${printable(who)} applied ${firstOf(applied.map(tableName))}.\n`,
  );
  return lines.join('');
}

/** ` -n shop`, where that is not the namespace of the line above. */
function elsewhere({ node: { namespace }, above }: TreeLine): string {
  return namespace === '' || namespace === above?.namespace ? '' : ` -n ${printable(namespace)}`;
}

/** Only what is not as usual: a reference that is not solid, what becomes of the object, its finalizers. */
function lineRemarks(line: ToldObject): string[] {
  const { node, edge, applied, repeated } = line;
  const { action = 'keep', overdue: isLate } = (!repeated && node.gc) || {};
  return [
    ...(applied ? [appliedInWords(applied)] : []),
    ...(edge && edge.class !== 'solid' ? [`reference ${edge.class}`] : []),
    ...(remarkable.has(action)
      ? [isLate ? overdue : actionStates[action].words.replace(/^is /, '')]
      : []),
    ...heldOrRepeated(line),
  ];
}

function heldOrRepeated({ node: { finalizers }, repeated }: ToldObject): string[] {
  return [
    ...(finalizers.length > 0 ? [`finalizers: ${finalizers.join(' ')}`] : []),
    ...(repeated ? ['shown above'] : []),
  ];
}

const remarkable: ReadonlySet<Action> = new Set(['delete', 'patch', 'frozen', 'unknown']);

/** The bare tree, one object a line. A namespace is printed where it differs from that of the line above. */
export function graphTree(report: GraphReport, options: RenderOptions): string {
  const style = styleOf(options);
  const lines = treeLines(report, deepestIn(options)).map((line) => {
    const { node, edge, applied, prefix } = line;
    const shown = printable(node.name);
    const name = node.observed ? style.bold(shown) : style.strikethrough(shown);
    const remarks = [
      ...(edge && edge.class !== 'solid' ? [painted(edge.class, paints[edge.class], options)] : []),
      ...(applied ? [style.dim(printable(appliedInWords(applied)))] : []),
      ...(edge?.blockOwnerDeletion ? [style.dim('blocks')] : []),
      ...statusNotes(line).map((status) => style.yellow(printable(status))),
    ];
    const where = style.dim(elsewhere(line));
    const tail = remarks.length > 0 ? `  ${remarks.join(style.dim(' · '))}` : '';
    const sign = options.marks ? signOf(options.marks.get(objectKey(node)), options) : '';
    return `${sign}${style.dim(prefix)}${printable(node.kind)}/${name}${where}${tail}\n`;
  });
  return lines.join('') + contentsTable(report, options) + appliersOf(report);
}

function statusNotes(line: TreeLine): string[] {
  const { observed, deletionTimestamp } = line.node;
  if (!observed) return ['not seen'];
  return [...(deletionTimestamp === undefined ? [] : ['terminating']), ...heldOrRepeated(line)];
}

export function graphPage(report: GraphReport, options: RenderOptions): PageData {
  const { kind, nodes, edges } = report;
  const contents = (report.kind === 'Tree' && report.contents) || [];
  const applied = appliedOf(report);
  const appliedBy = Map.groupBy(applied, ({ object }) => object);
  const roots = new Set(report.roots);
  const asked = nodes.filter(({ id }) => roots.has(id));
  const title = `${kind === 'Tree' ? 'Tree' : 'Owners'} of ${titleOfSome(asked)}`;
  const others = nodes.filter(({ id }) => !roots.has(id));
  const found = others.length === 0 ? 'none' : countsByKind(others);
  const contained = contents.reduce((sum, { count }) => sum + count, 0);
  const [one, several] = kind === 'Tree' ? ['dependent', 'dependents'] : ['owner', 'owners'];
  const leading = new Map(
    edges.map((edge) => [kind === 'Tree' ? edge.dependent : edge.owner, edge]),
  );
  const page = new PageMaker(nodeColumns, options);
  for (const node of nodes) {
    const { id, gc, deletionTimestamp } = node;
    const by = appliedBy.get(id) ?? [];
    const line = { node, edge: leading.get(id), applied: by[0], repeated: false };
    const more = [
      ['Applied by', node.appliedBy],
      ['When that goes', by.map(appliedInWords).join('; ')],
      ['Rule', gc?.rule],
      ['Being deleted since', deletionTimestamp],
    ] as const;
    page.item(line, node, nodeState(node), more, id);
  }
  for (const row of contents) {
    const names = contentNames(row);
    const below = row.below > 0 ? counted(row.below, 'object') : undefined;
    const facts = [['Names', names] as const, ['Below', below] as const];
    const id = page.add(contentReference(row), contentState, facts, contentId(row));
    page.otherRow(id, { Reference: 'contains', Remarks: contentState.words, Reason: names });
  }
  return page.page(report, {
    title,
    figure:
      contained > 0
        ? figureOf(contained, 'object in it', 'objects in it')
        : figureOf(others.length, one, several),
    summary: [
      `${kind === 'Tree' ? 'Dependents' : 'Owners'}: ${found}.`,
      ...(contained > 0
        ? [`Contains ${counted(contained, 'object')}; deleting it deletes them.`]
        : []),
    ],
    references: [
      ...edges.map((edge) => ownerLine(edge, edge.class, `${edge.because} (${edge.rule})`)),
      ...applied.map(appliedLine),
      ...contents.map(containedLine),
    ],
    ...(contained > 0 && { legend: { plain: 'content, or without owner' } }),
    views: [stillView(title)],
  });
}

function appliedLine(edge: ReturnType<typeof appliedOf>[number]): PageReference {
  const { tool: owner, object: dependent } = edge;
  return { owner, dependent, class: 'applied', because: appliedInWords(edge) };
}

function containedLine(row: ContentsRow): PageReference {
  const because = 'content without owner reference: deleted with its container';
  return { owner: row.container, dependent: contentId(row), class: 'contains', because };
}

/** Nothing is being deleted: a tree only shows what there is. */
const contentState: PageState = { mark: 'plain', words: 'content' };

function contentId({ container, apiVersion, kind, namespace }: ContentsRow): string {
  return ['contents', container, apiVersion, kind, namespace].join(' ');
}

/** What is alike is one box. */
function contentReference({ apiVersion, kind, namespace, count, names }: ContentsRow) {
  const name = count === 1 ? (names[0] ?? '') : counted(count, 'object');
  return { apiVersion, kind, namespace, name, uid: '' };
}

/** What the garbage collector does, looking once. */
export const actionStates: Readonly<Record<Action, PageState>> = {
  delete: { mark: 'goes', words: 'will be deleted' },
  patch: { mark: 'changes', words: 'loses a reference' },
  keep: { mark: 'stays', words: 'stays' },
  unowned: { mark: 'plain', words: 'has no owner' },
  frozen: { mark: 'frozen', words: 'is never deleted' },
  terminating: { mark: 'stuck', words: 'is being deleted' },
  ignored: { mark: 'plain', words: 'is not collected' },
  unknown: { mark: 'unknown', words: 'unknown whether it stays' },
};

function consequenceState({ observed, gc }: ReportNode): PageState {
  if (!observed || !gc) return { mark: 'unseen', words: 'was not seen' };
  const state = actionStates[gc.action];
  return gc.overdue ? { ...state, words: overdue } : state;
}

/** `1/1 Running, stays`: only what stands well is checked. */
function nodeState(node: ReportNode): PageState {
  const isGoing = node.deletionTimestamp !== undefined;
  const { mark, words } = isGoing ? actionStates.terminating : consequenceState(node);
  const ready = node.ready === 'no' ? 'not ready' : node.ready;
  const status = [ready, node.status].filter((part) => part !== undefined).join(' ');
  const isChecked = mark !== 'stays' || isWell(node);
  const told = node.status === undefined ? words : isGoing ? status : `${status}, ${words}`;
  return { mark: isChecked ? mark : 'plain', words: told };
}

const notWell: ReadonlySet<string> = new Set(['Failed', 'Lost', 'Pending', 'Unknown']);

function isWell({ ready = '', status = '' }: ReportNode): boolean {
  const [now, wanted = now] = ready.split('/');
  return (
    /^(Completed?|Succeeded)$/.test(status) ||
    (now !== 'no' && now === wanted && !notWell.has(status))
  );
}
