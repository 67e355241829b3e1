import type { RemovalLink } from '../../history/deletions/removal.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { fullNameOf, objectKey } from '../../kube/object-reference.ts';
import type { PageData } from '../../output/pages/page-data.ts';
import { PageMaker, titleOfSome } from '../../output/pages/page-maker.ts';
import { printable } from '../../output/printable.ts';
import type { RenderOptions } from '../../output/style.ts';
import { type Column, placeColumns, renderItems } from '../../output/tables/table.ts';
import { type Answer, distinctNames } from '../answer.ts';
import { accountOf } from './deletion-words.ts';
import type { DeletionChain } from './document.ts';

export const chainAnswer = {
  tableOf: chainTable,
  pageOf: chainPage,
  namesOf: ({ removal }: DeletionChain) => distinctNames(removal.links),
} satisfies Answer<DeletionChain>;

/** From the object to the request that began its deletion: a link a line. */
export function chainTable({ removal }: DeletionChain, options: RenderOptions): string {
  return renderItems(removal.links, linkColumns, options);
}

/** Who sent a request and when; addresses are shown with `-o wide` alone. */
export function requesterColumns<T>(
  linkOf: (item: T) => Pick<RemovalLink, 'requester' | 'at' | 'controller'>,
): readonly Column<T>[] {
  const by = (item: T) => linkOf(item).requester;
  return [
    ['WHEN', (item) => whenOf(linkOf(item))],
    ['BY', (item) => actorOf(linkOf(item))],
    ['ACCOUNT', (item) => accountOf(by(item)), 'wide'],
    ['PROGRAM', (item) => by(item)?.userAgent ?? '', 'wide'],
    ['ADDRESSES', (item) => by(item)?.sourceIps?.join(', ') ?? '', 'wide'],
  ];
}

/** In whole seconds. */
export function whenOf({ at }: Pick<RemovalLink, 'at'>): string {
  return at?.replace(/\.\d+Z$/, 'Z') ?? '<unknown>';
}

/** The controller or account that began it. */
function actorOf({ controller, requester }: Pick<RemovalLink, 'controller' | 'requester'>): string {
  return controller ?? accountOf(requester);
}

const linkColumns: readonly Column<RemovalLink>[] = [
  ...placeColumns,
  ['CAUSE', (link) => causeWords(link)],
  ['CERTAINTY', ({ certainty }) => ({ text: certainty, paint: certaintyPaints[certainty] })],
  ...requesterColumns<RemovalLink>((link) => link),
  ['RULE', ({ rule = '' }) => rule, 'wide'],
  ['SETTING', ({ setting = '' }) => setting, 'wide'],
  [
    'AUDIT ID',
    ({ evidence }) => evidence.flatMap((one) => (one.kind === 'audit' ? one.auditId : [])).join(),
    'wide',
  ],
  ['REASON', (link) => reasonWords(link)],
];

const certaintyPaints = { seen: undefined, follows: undefined, 'might be': 'yellow' } as const;

const causeNames: Readonly<Record<RemovalLink['cause'], string>> = {
  request: 'request',
  owner: 'owner deleted',
  reference: 'owner missing',
  collected: 'garbage collected',
  namespace: 'namespace deleted',
  definition: 'CRD deleted',
  controller: 'controller',
  change: 'change',
  unknown: 'unknown',
};

function causeWords({ cause }: RemovalLink): string {
  return causeNames[cause];
}

function reasonWords({ because, ended }: RemovalLink): string {
  if (!ended) return because;
  const { at, verb, requester, certainty } = ended;
  const removed = certainty === 'might be' ? 'might have been removed' : 'removed';
  return `${because}; ${removed} at ${at} by ${verb === 'update' ? 'an' : 'a'} ${verb} of ${accountOf(requester)}`;
}

/** What the table has no place for: other objects of that name, and what to do. */
export function chainRemarks({
  removal,
  backup,
  backupCertainty,
  sources: { log },
}: DeletionChain): string[] {
  const { recreated, remains, earlier, links } = removal;
  const next = new Set(links.flatMap((link) => link.next ?? []));
  return [
    ...(remains ? ['It still exists: its deletion has begun, and has not ended.'] : []),
    ...(recreated
      ? [
          `Another object of that name was created at ${recreated.at} by ${accountOf(recreated.requester)}.`,
        ]
      : []),
    ...(earlier > 0
      ? [
          `${counted(earlier, 'earlier object')} of that name ${earlier === 1 ? 'was' : 'were'} deleted, too: --until shows an earlier time.`,
        ]
      : []),
    ...(backup === undefined
      ? []
      : backupCertainty === 'might be'
        ? [`Backup ${backup} contains an object of that name, which might be another one.`]
        : [`Saved in backup ${backup}.`]),
    ...(log && links.at(-1)?.cause === 'unknown'
      ? [
          `The audit log contains requests from ${log.from} to ${log.to}.`,
          ...(log.gaps ?? []).map(
            ({ from, to }) => `It has no request from ${from} to ${to}: a file might be missing.`,
          ),
        ]
      : []),
    ...next,
  ];
}

export function chainPage(report: DeletionChain, options: RenderOptions): PageData {
  const { removal } = report;
  const first = removal.links.at(-1);
  const page = new PageMaker(linkColumns, options);
  for (const link of removal.links) {
    page.item(link, link.object, { mark: 'goes', words: causeWords(link) });
  }
  const references = removal.links.slice(1).flatMap(({ object, because }, at) => {
    const [owner, dependent] = [objectKey(object), objectKey(removal.links[at]?.object ?? object)];
    return owner === dependent ? [] : [{ owner, dependent, class: 'contains', because } as const];
  });
  return page.page(report, {
    title: `What deleted ${titleOfSome([removal.object])}`,
    ...(first && { figure: { value: printable(actorOf(first)), words: 'began it' } }),
    first: 'rows',
    summary: first ? [`${fullNameOf(first.object)}: ${reasonWords(first)}.`] : [],
    references,
  });
}
